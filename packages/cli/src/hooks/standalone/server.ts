import { hookPaths, installedRoot } from "../client/hook-paths.ts";
import { serverMain } from "../server/server-main.ts";

// This file becomes `~/.phasekit/bin/server.mjs`: the server with everything it needs.
await serverMain(hookPaths(installedRoot(import.meta.dirname)));
