#!/usr/bin/env node
import process from "node:process";
import { main } from "./node/main.ts";

const leaving = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => leaving.abort());
// Standard output belongs to the protocol, so everything the server's file prints goes to standard error.
console.log = console.info = console.debug = console.error;

process.exitCode = await main(process.argv.slice(2), {
  folder: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  say: (line) => console.error(line),
  signal: leaving.signal,
});
