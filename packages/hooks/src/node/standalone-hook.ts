import { fileURLToPath } from "node:url";
import { hookMain } from "./hook-main.ts";
import { hookPaths, installedRoot } from "./hook-paths.ts";

// This file becomes `~/.phasekit/bin/hook.mjs`, beside `server.mjs`.
try {
  const serverCommand = [process.execPath, fileURLToPath(new URL("server.mjs", import.meta.url))];
  await hookMain(process.argv.slice(2), { paths: hookPaths(installedRoot(import.meta.url)), serverCommand });
} catch {
  // A hook never breaks the agent it runs in.
}
