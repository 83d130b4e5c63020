import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace.ts";

/**
 * Type-checks the projects named on the command line, in the folder it was called in. TypeScript 7 takes a quarter of
 * the time of 6, which stays for the tools that need its API.
 */
const compiler = join(root, "tooling/node_modules/typescript-native/bin/tsc");
const projects = process.argv.slice(2);
for (const project of projects.length === 0 ? ["."] : projects) {
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
