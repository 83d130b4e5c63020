import { createRun, type Run, type RunOptions } from "@phasekit/core";
import { resolve } from "node:path";
import { reasonOfFailure } from "../../failures/classify-failure.ts";
import { redactSecrets } from "../../redaction/redact-secrets.ts";
import { type ResumeOptions, resumeRun, storeRun } from "../../store-run.ts";
import { flushStoredRuns } from "../../stored-runs.ts";
import { exportRun, type ExportedRun, importRun, type ImportedRun } from "./export-run.ts";
import { createFileStore, type FileStore } from "../file-store.ts";
import { assertPath, folderName } from "../run-folder.ts";

/** Options for `createLedger()`: those of its runs, and where they are kept. All optional. */
export interface LedgerOptions<TPhase extends string = string> extends Omit<RunOptions<TPhase>, "id" | "from"> {
  /** Logs are kept in its folder `runs`, archives in `archive`. @default ".phasekit" */
  readonly folder?: string;
  /** A store of your own for the logs. @default a file store in the folder */
  readonly store?: FileStore;
}

/** Runs with the same options, kept in a folder. */
export interface Ledger<TPhase extends string = string> {
  readonly store: FileStore;
  /** Starts a run and stores it as it happens. */
  readonly start: (options?: Pick<RunOptions<TPhase>, "id" | "task" | "item" | "parent">) => Run<TPhase>;
  /**
   * Opens the next attempt of a run, with the options of the ledger and those given here, such as higher limits.
   * @throws what `resumeRun` throws
   */
  readonly resume: (runId: string, options?: Partial<RunOptions<TPhase>> & ResumeOptions) => Promise<Run<TPhase>>;
  /**
   * Writes the archive of a run: its summary and its sidecars. Input counts as not cached unless a provider says more.
   * @throws UNKNOWN_RUN
   */
  readonly archive: (runId: string) => Promise<ExportedRun>;
  /** Reads the archive of a run back. @throws ARCHIVE_DAMAGED */
  readonly readArchive: (runId: string) => ImportedRun;
  /** Waits until everything is stored, and lets go of the folder. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a ledger: `createFileStore`, `storeRun`, `resumeRun`, `exportRun` and `importRun` with one set of options.
 * Its runs classify errors with `reasonOfFailure` and redact secrets, unless the options say otherwise.
 *
 * @example
 * const ledger = createLedger({ graph: pipelinePhases });
 * const run = ledger.start({ task: { text: "A todo backend" } });
 * @throws INVALID_OPTION, UNSAFE_DIRECTORY
 */
export function createLedger<const TPhase extends string = "working">({
  folder = ".phasekit",
  store = createFileStore(resolve(assertPath(folder), "runs")),
  ...given
}: LedgerOptions<TPhase> = {}): Ledger<NoInfer<TPhase>> {
  const options = { classify: reasonOfFailure, redact: redactSecrets(), ...given } as RunOptions<TPhase>;
  const archiveOf = (runId: string): string => resolve(folder, "archive", folderName(runId));
  return {
    store,
    start: (about) => {
      const run = createRun<TPhase>({ ...options, ...about });
      storeRun(run, store);
      return run;
    },
    resume: async (runId, more) => {
      await flushStoredRuns(store);
      const { run } = await resumeRun<TPhase>(store, runId, { ...options, ...more });
      return run;
    },
    archive: async (runId) => {
      await flushStoredRuns(store);
      return exportRun(store, runId, { folder: archiveOf(runId), assumeUncached: true });
    },
    readArchive: (runId) => importRun(archiveOf(runId)),
    close: () => store.close(),
  };
}
