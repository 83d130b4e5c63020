#!/usr/bin/env node
import { readFileSync } from "node:fs";
import process from "node:process";
import { isAgent } from "std-env";
import { main } from "./main.ts";
import { createTerminal } from "./terminal.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string };
const leaving = new AbortController();
// The first Ctrl-C ends what is followed or played; the second one ends the process.
process.once("SIGINT", () => { leaving.abort(); });
process.once("SIGTERM", () => { leaving.abort(); });
// A reader that has seen enough, such as `head`, closes the pipe: that is no mistake.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 4));

const exitCode = await main(process.argv.slice(2), {
  terminal: createTerminal({ stdout: process.stdout, stderr: process.stderr, env: process.env, isAgent }),
  env: process.env,
  cwd: process.cwd(),
  now: Date.now,
  signal: leaving.signal,
  version,
});
process.exitCode = exitCode;
