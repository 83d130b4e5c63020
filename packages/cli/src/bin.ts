#!/usr/bin/env node
import process from "node:process";

const [command = "", first] = process.argv.slice(2);
// Agents start these two for every event, so they load nothing of the other commands. Options such as --help do.
const isHook = command === "hook" && first !== undefined && !first.startsWith("-");
if (isHook || (command === "statusline" && first === undefined)) {
  const { runHook } = await import("./run-hook.ts");
  await runHook(isHook ? process.argv.slice(3) : ["statusline"]);
} else {
  const { runProgram } = await import("./run-program.ts");
  const exitCode = await runProgram(process.argv.slice(2));
  // Claude Code and others refuse a tool call if a hook exits with 2, which is our code for wrong usage.
  process.exitCode = command === "hook" ? 0 : exitCode;
}
