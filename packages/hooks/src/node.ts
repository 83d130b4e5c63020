export {
  applyInstall,
  applyUninstall,
  type InstallFolders,
  type LocalInstallOptions,
  type LocalInstallPlan,
  planInstall,
  planUninstall,
  uninstall,
} from "./node/apply-install.ts";
export { type CodexHook, readCodexHooks } from "./node/codex-trust.ts";
export { diagnose, type DiagnoseOptions, type Diagnosis, type Finding } from "./node/diagnose.ts";
export { findAgents } from "./node/find-agents.ts";
export { hookMain, type HookMainOptions } from "./node/hook-main.ts";
export { hookPaths, type HookPaths } from "./node/hook-paths.ts";
export {
  createHookServer,
  type HookServer,
  type HookServerOptions,
  type ListedSession,
  type WaiveReply,
} from "./node/hook-server.ts";
export type { LiveConfig, LoadLiveConfig } from "./node/live-config.ts";
export { type ListeningServer, serveHooks, type ServeHooksOptions } from "./node/serve-hooks.ts";
export { readStatusLine } from "./node/read-status-line.ts";
export { readSessionStatus, type SessionChoice, waiveGate } from "./node/user-requests.ts";
export { writePlugin } from "./node/write-plugin.ts";
