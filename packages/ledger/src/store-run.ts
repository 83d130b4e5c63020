import {
  type MoveOptions,
  isPhasekitError,
  type Json,
  type JsonObject,
  reasons,
  type Redactor,
  replayRun,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunPort,
} from "@phasekit/core";
import { defined, printWarning } from "@phasekit/core/adapter";
import { invalidStoreOption, notResumable, runExists, unknownRun } from "./errors.ts";
import { nameMembers } from "./redaction/name-members.ts";
import { redactSecrets } from "./redaction/redact-secrets.ts";
import { rememberStoredRun } from "./stored-runs.ts";
import { readRun, type RunStore } from "./run-store.ts";

export interface StoreRunOptions {
  /**
   * Takes out what must not be stored, once more and from derived events too; `false` trusts the run's own.
   * @default redactSecrets()
   */
  readonly redact?: Redactor | false;
  /**
   * Events that may wait while the store does not take them. What comes after is left out and counted. @default 10000
   */
  readonly maxWaiting?: number;
  /**
   * Called once when the store stops accepting events, and once when events are left out. The agent never notices.
   * @default a warning on the console
   */
  readonly onError?: (problem: unknown) => void;
}

/** How much of a run is stored. */
export interface StoredStatus {
  /** The last event the store has acknowledged. */
  readonly stored: number;
  /** Events that wait for the store. */
  readonly waiting: number;
  /** Events that were left out: the log then is the beginning of the run, up to `stored`. */
  readonly dropped: number;
  /** Why the store does not take events. */
  readonly problem?: unknown;
}

/** A run on its way into a store. */
export interface StoredRun {
  /** Resolves when the run's header is stored; rejects when it cannot be. */
  readonly ready: Promise<void>;
  readonly status: () => StoredStatus;
  /** Waits until everything recorded so far is stored, trying again once if the store refused before. */
  readonly flush: () => Promise<StoredStatus>;
  /**
   * Gives the store everything that waits, without waiting for its answer: for the last moment of a process. Only a
   * store that writes when it is called, such as `createFileStore`, keeps these events.
   */
  readonly handOver: () => void;
  /** Flushes, then stops following the run. */
  readonly close: () => Promise<StoredStatus>;
}

const MAX_BATCH = 1000;
/** Refusals that trying again cannot change. */
const FINAL = [
  "APPEND_CONFLICT",
  "INVALID_APPEND",
  "WRITER_SUPERSEDED",
  "RUN_REMOVED",
  "LOG_LOST",
  "RUN_LOCKED",
  "STORE_DAMAGED",
  "UNSAFE_DIRECTORY",
  "STORE_CLOSED",
];

/**
 * Stores a run as it happens: one line, right after `createRun`. Steps are stored whole and in order; a store that
 * fails is tried again with the next step, and never breaks the run. A run with the id of a stored one is not stored:
 * `ready` rejects and `onError` gets RUN_EXISTS.
 *
 * @example
 * const stored = storeRun(run, createMemoryStore());
 * await trackRun(run, work);
 * await stored.close();
 * @throws INVALID_OPTION
 */
export function storeRun(run: RunPort, store: RunStore, options: StoreRunOptions = {}): StoredRun {
  if (typeof (store as Partial<RunStore> | undefined)?.append !== "function")
    throw invalidStoreOption("store", 'it must be a store, such as createFileStore(folder) of "@phasekit/ledger/node"');
  return attach(run, store, { ...options, after: 0 });
}

/** Options for `resumeRun()`, beside those of the run. */
export interface ResumeOptions {
  /** How the run is stored from here on. */
  readonly storing?: StoreRunOptions;
  readonly why?: string;
  /** The actor who continues a run that was suspended. @default "user" */
  readonly by?: MoveOptions["by"];
  /** Also resumes a run that came to its end: done, given up, cancelled, stopped by a breaker. @default false */
  readonly reopen?: boolean;
}

/** A resumed run, which is stored again. */
export interface ResumedRun<TPhase extends string = string> {
  readonly run: Run<TPhase>;
  readonly stored: StoredRun;
  /** The events of its log, before it was resumed. */
  readonly earlier: readonly RunEvent[];
}

/**
 * Opens the next attempt of a run that the provider, the host, a limit or a crash cut short (`reasons[…].resumable`),
 * or with `reopen` of any run: reads its log back, stores what a crash cut off from the last step, records
 * `run.resumed` and continues storing. Pass the options the run had, above all its graph; limits may be higher.
 *
 * @example
 * const { run, stored } = await resumeRun(store, id, { graph: pipelinePhases });
 * @throws UNKNOWN_RUN, NOT_RESUMABLE, OTHER_GRAPH, and what `replayRun` and the store throw
 */
export async function resumeRun<const TPhase extends string = "working">(
  store: RunStore,
  runId: string,
  { storing, why, by, reopen = false, ...options }: RunOptions<TPhase> & ResumeOptions = {},
): Promise<ResumedRun<TPhase>> {
  const events = await readRun(store, runId);
  if (events.length === 0) throw unknownRun(runId);
  const { run, missing } = replayRun(events, options as RunOptions<TPhase>);
  const { outcome } = run;
  if (outcome !== undefined && !reopen && !reasons[outcome.reason].resumable) throw notResumable(runId, outcome.reason);
  if (missing.length > 0) await store.append(runId, missing, { after: events.length });
  const attached = attach(run, store, { ...storing, after: events.length + missing.length });
  run.resume(defined({ reopen, why, by }));
  await attached.ready;
  return { run, stored: attached, earlier: events };
}

function attach(run: RunPort, store: RunStore, options: StoreRunOptions & { readonly after: number }): StoredRun {
  return new Storing(run, store, options);
}

class Storing implements StoredRun {
  readonly #run: RunPort;
  readonly #store: RunStore;
  readonly #redact: false | Redactor;
  readonly #maxWaiting: number;
  readonly #onError: (problem: unknown) => void;
  #waiting: RunEvent[] = [];
  /** False for a run that continues a stored log. */
  readonly #isNew: boolean;
  #stored: number;
  #dropped = 0;
  #problem: unknown;
  #ended = false;
  #appending: Promise<void> | undefined;
  /** Events of `waiting` that the store has, but has not acknowledged. */
  #underway = 0;
  #settleReady: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  readonly ready = new Promise<void>((resolve, reject) => {
    this.#settleReady = { resolve, reject };
  });
  readonly status = (): StoredStatus =>
    defined({ stored: this.#stored, waiting: this.#waiting.length, dropped: this.#dropped, problem: this.#problem });
  readonly #memory: { readonly open: () => void; readonly done: () => void };
  readonly #unsubscribe: () => void;

  constructor(
    run: RunPort,
    store: RunStore,
    {
      after,
      redact = redactSecrets(),
      maxWaiting = 10_000,
      onError = warn,
    }: StoreRunOptions & { readonly after: number },
  ) {
    this.#run = run;
    this.#store = store;
    this.#redact = redact;
    this.#maxWaiting = maxWaiting;
    this.#onError = onError;
    this.#isNew = after === 0;
    this.#stored = after;
    // Avoid an unhandled rejection if the caller does not await `ready`.
    this.ready.catch(() => undefined);
    this.#memory = rememberStoredRun(run, store, this);
    this.#unsubscribe = run.subscribe(this.#take);
  }

  readonly flush = async (): Promise<StoredStatus> => {
    await this.#pump();
    // Steps that came while the last append failed are waiting still.
    if (this.#waiting.length > 0) await this.#pump();
    return this.status();
  };

  readonly handOver = (): void => {
    const batch = this.#waiting.slice(this.#underway);
    if (batch.length === 0 || this.#ended) return;
    this.#ended = true;
    try {
      this.#store.append(this.#run.id, batch, { after: this.#stored + this.#underway }).catch(this.#tell);
    } catch (error) {
      this.#tell(error);
    }
  };

  readonly close: StoredRun["close"] = async () => {
    const final = await this.flush();
    this.#unsubscribe();
    this.#memory.done();
    return final;
  };

  readonly #tell = (found: unknown): void => {
    try {
      this.#onError(found);
    } catch {
      // No handler is left, and the agent must not notice.
    }
  };

  readonly #take = (step: readonly RunEvent[]): void => {
    this.#memory.open();
    if (this.#dropped > 0 || this.#ended || this.#waiting.length + step.length > this.#maxWaiting) {
      if (this.#dropped === 0) this.#tell(this.#problem ?? new Error("The store is too slow: events are left out."));
      this.#dropped += step.length;
      return;
    }
    for (const event of step) this.#waiting.push(this.#redact === false ? event : redactEvent(event, this.#redact));
    void this.#pump();
  };

  #pump(): Promise<void> {
    this.#appending ??= this.#appendWaiting().finally(() => {
      this.#appending = undefined;
    });
    return this.#appending;
  }

  async #appendWaiting(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#ended) {
      // A copy: more steps may come while the store works on these.
      const batch = this.#waiting.slice(0, MAX_BATCH);
      this.#underway = batch.length;
      try {
        await this.#store.append(this.#run.id, batch, { after: this.#stored });
      } catch (error) {
        this.#refused(error);
        return;
      } finally {
        this.#underway = 0;
      }
      this.#stored += batch.length;
      this.#waiting = this.#waiting.slice(batch.length);
      this.#problem = undefined;
      this.#settleReady?.resolve();
      // A server may store many runs: an ended one is forgotten as soon as it is stored.
      if (this.#waiting.length === 0 && batch.at(-1)?.type === "run.finished") this.#memory.done();
    }
  }

  #refused(refusal: unknown): void {
    // The first event of a new run goes to an empty log.
    const isUsed = this.#isNew && this.#stored === 0 && isPhasekitError(refusal, "APPEND_CONFLICT");
    const error = isUsed ? runExists(this.#run.id, refusal) : refusal;
    this.#settleReady?.reject(error);
    if (this.#problem === undefined) this.#tell(error);
    this.#problem = error;
    if (!FINAL.some((code) => isPhasekitError(refusal, code))) return;
    this.#ended = true;
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
  }
}

/** A log that is lost is worth a line, whatever the mode. */
function warn(problem: unknown): void {
  printWarning(`a run is not stored. ${problem instanceof Error ? problem.message : String(problem)}`);
}

/** Fail closed: what the redactor cannot handle loses all its texts. */
function redactEvent(event: RunEvent, redact: Redactor): RunEvent {
  const source = event as unknown as JsonObject;
  try {
    const redacted = redact(source);
    if (redacted === source) return event;
    const { type, seq, at, call } = event;
    return { ...redacted, ...defined({ type, seq, at, call }) } as unknown as RunEvent;
  } catch {
    return withheld(source) as unknown as RunEvent;
  }
}

function withheld(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]): [string, Json] => {
      if (typeof value === "string") return [key, nameMembers.has(key) ? value : "[withheld]"];
      if (typeof value !== "object" || value === null) return [key, value];
      if (Array.isArray(value)) return [key, key === "policies" || key === "interpreters" ? value : []];
      return [key, withheld(value as JsonObject)];
    }),
  );
}
