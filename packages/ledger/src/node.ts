export { createLedger, type Ledger, type LedgerOptions } from "./node/archive/create-ledger.ts";
export { endOnSignals, type EndOnSignalsOptions } from "./node/end-on-signals.ts";
export {
  type ExportedRun,
  type ExportOptions,
  exportRun,
  importRun,
  type ImportedRun,
  type Sidecar,
} from "./node/archive/export-run.ts";
export { createFileStore, type FileStore, type FileStoreOptions } from "./node/file-store.ts";
export { type FileStats, type FileSystem, nodeFileSystem } from "./node/file-system.ts";
export { nodeProcesses, type Owner, type Processes } from "./node/process-identity.ts";
export type { Damage, LogPart, LogReport } from "./node/read-log.ts";
export type { Level } from "./node/waiters.ts";
