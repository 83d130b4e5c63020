import { join } from "node:path";
import { hookMain } from "../client/hook-main.ts";
import { hookPaths, installedRoot } from "../client/hook-paths.ts";

// This file becomes `~/.phasekit/bin/hook.cjs`, beside `server.mjs`. CommonJS starts faster, and loads what only some
// calls need when they need it.
const bin = import.meta.dirname;
const serverCommand = [process.execPath, join(bin, "server.mjs")];
hookMain(process.argv.slice(2), { paths: hookPaths(installedRoot(bin)), serverCommand }).catch(() => {
  // A hook never breaks the agent it runs in.
});
