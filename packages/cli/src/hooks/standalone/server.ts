import { hookPaths, installedRoot } from "./hook-paths.ts";
import { serverMain } from "./server-main.ts";

// This file becomes `~/.phasekit/bin/server.mjs`: the server with everything it needs.
await serverMain(hookPaths(installedRoot(import.meta.dirname)));
