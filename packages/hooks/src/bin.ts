#!/usr/bin/env node
import { hookMain } from "./node/hook-main.ts";
import { hookPaths } from "./node/hook-paths.ts";
import { serverFile } from "./node/server-file.ts";

try {
  const paths = hookPaths();
  await hookMain(process.argv.slice(2), { paths, serverCommand: [process.execPath, serverFile(paths)] });
} catch {
  // A hook never breaks the agent it runs in.
}
