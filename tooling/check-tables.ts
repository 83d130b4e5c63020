import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { findTableLookups } from "./table-lookups.ts";
import { root } from "./workspace.ts";

/** Fails when sources look up a name in an object with a prototype. */
const files = globSync("packages/{*,adapters/*}/src/**/*.{ts,tsx}", { cwd: root })
  .filter((file) => !/\.test(?:-d)?\.tsx?$|__fixtures__/.test(file))
  .map((file) => join(root, file));
const found = findTableLookups(files);
for (const { file, line, text } of found) console.error(`${relative(root, file)}:${String(line)}: ${text}`);
if (found.length > 0) {
  console.error(
    [
      "These lookups find the members of Object.prototype too. Write the table as tableOf({ … }) or a Map, or ask",
      "with ownValue(object, name), both from @phasekit/core/adapter. If the name cannot come from outside, say so",
      "above the line: // own key: <reason>",
    ].join("\n"),
  );
  process.exitCode = 1;
}
