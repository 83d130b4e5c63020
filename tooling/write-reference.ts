import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { referencePages } from "./reference-pages.ts";
import { root } from "./workspace.ts";

for (const [path, text] of referencePages()) {
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
