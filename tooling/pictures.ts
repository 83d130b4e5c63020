import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace.ts";

/**
 * Makes every picture of a terminal or a page in docs/images anew. Look at them afterwards: all looks of the pages are
 * in packages/report/.results/pictures. The terminal needs the Claude Code that `pnpm canary claude-code` installs.
 */
for (const file of ["packages/report/test/make-screenshots.ts", "tooling/canary/terminal-picture.ts"]) {
  const { status } = spawnSync(process.execPath, [join(root, "tooling/start.mjs"), join(root, file)], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
