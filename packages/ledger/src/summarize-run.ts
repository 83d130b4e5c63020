import type { Evidence, HostEvent, Reason, RunEvent } from "@phasekit/core";
import { defined, upgradeEvent } from "@phasekit/core/adapter";
import { evidenceAtEnd, findingOf, type GateFinding } from "@phasekit/core/account";
import { addAnswer, addChild, aggregateToRecord, emptyAggregate } from "./records/usage-fold.ts";
import { closeEntry, type EntryEnd } from "./records/close-entry.ts";
import { type EntryFold, foldEntry, openEntry, type RunContext } from "./records/entry-fold.ts";
import type { PhaseRecord } from "./records/phase-record.ts";
import { stateOf, type TerminalState } from "./state-of-run.ts";

/** The outcome of a run, phase by phase: a pure function of its log. */
export interface RunSummary {
  /** The version of this shape. */
  readonly v: 1;
  readonly run: string;
  readonly state: TerminalState;
  /** Why the last attempt ended; absent while it runs or when its log just stops. */
  readonly reason?: Reason;
  readonly verified?: boolean;
  /** How well the end is backed by evidence, and why; absent while the run has no end. */
  readonly evidence?: Pick<Evidence, "grade" | "why">;
  /** The phase the run is in, or ended in. */
  readonly phase: string;
  readonly attempt: number;
  readonly graph?: string;
  readonly mode: HostEvent<"run.started">["mode"];
  readonly task?: HostEvent<"run.started">["task"];
  readonly item?: HostEvent<"run.started">["item"];
  readonly parent?: HostEvent<"run.started">["parent"];
  /** The folder of the project, if the host reports it. */
  readonly folder?: string;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The sequence number of the last event. */
  readonly seq: number;
  readonly elapsed: number;
  readonly usage: PhaseRecord["aggregates"]["total"]["usage"];
  /** One record per phase entry and attempt, in the order in which they were closed. */
  readonly phases: readonly PhaseRecord[];
}

const MAX_GATES = 256;

export interface SummarizeOptions {
  /** The run has not ended: its present entry has no record yet. @default false, an unfinished log was interrupted */
  readonly alive?: boolean;
  /**
   * Takes input as not cached if no call said how much of it was: `cacheHitRate` is 0 instead of absent. @default false
   */
  readonly assumeUncached?: boolean;
}

/**
 * Reads a log into one record per phase entry and attempt, each closed exactly once: by the next move, a rollback, the
 * end of the attempt, the next attempt, or the end of the log. The same events always give the same summary.
 *
 * @example
 * const { state, reason, phases } = summarizeRun(await readRun(store, id));
 * @throws TypeError when the log does not begin with `run.started`; UNKNOWN_EVENT when a newer version wrote it
 */
export function summarizeRun(
  events: readonly RunEvent[],
  { alive = false, ...options }: SummarizeOptions = {},
): RunSummary {
  const summary = createSummary(options);
  for (const event of events) summary.add(event);
  return summary.get({ alive });
}

interface RunSummaryFold {
  readonly add: (event: RunEvent) => void;
  readonly get: (options?: Pick<SummarizeOptions, "alive">) => RunSummary;
}

/** A summary that is fed event by event: for stores and views that follow a run. */
export function createSummary(options?: Pick<SummarizeOptions, "assumeUncached">): RunSummaryFold {
  return new SummaryFold(options);
}

class SummaryFold implements RunSummaryFold {
  readonly #assumeUncached: boolean;
  #header: HostEvent<"run.started"> | undefined;
  #finished: HostEvent<"run.finished"> | undefined;
  #last: RunEvent | undefined;
  #entry: EntryFold | undefined;
  #phase = "";
  #attempt = 1;
  #elapsed = 0;
  #suspended = false;
  #turnEnd = 0;
  #attemptElapsed = 0;
  readonly #stays = new Map<string, number>();
  readonly #total = emptyAggregate();
  readonly #phases: PhaseRecord[] = [];
  readonly #gates: GateFinding[] = [];
  readonly #context: RunContext = { turn: 0, iterationTurn: 0, pending: new Map(), sent: new Map(), loop: undefined };

  constructor({ assumeUncached = false }: Pick<SummarizeOptions, "assumeUncached"> = {}) {
    this.#assumeUncached = assumeUncached;
  }

  readonly add = (stored: RunEvent): void => {
    const event = upgradeEvent(stored);
    this.#passTime(event);
    if (event.type === "finish.requested") this.#gates.length = 0;
    const finding = findingOf(event);
    if (finding !== undefined && this.#gates.length < MAX_GATES) this.#gates.push(finding);
    switch (event.type) {
      case "run.started":
        this.#header = event;
        this.#attempt = event.attempt;
        this.#open(event.phase, event);
        break;
      case "run.resumed":
        if (this.#last !== undefined) this.#resume(event, this.#last);
        break;
      case "phase.transition":
        this.#close(event, {
          closedBy: "transition",
          next: event.to,
          outcome: event.outcome,
          reason: event.endReason,
          predicate: event.predicate,
        });
        this.#open(event.to, event);
        break;
      case "phase.rolled-back":
        this.#close(event, { closedBy: "rollback", next: event.to, outcome: "abandoned", reason: "rolled_back" });
        this.#open(event.to, event);
        break;
      case "run.finished": {
        if (this.#entry !== undefined) foldEntry(this.#entry, event, this.#context);
        const { outcome, reason, predicate, error } = event;
        this.#close(event, { closedBy: "finish", outcome, reason, predicate, error });
        this.#finished = event;
        break;
      }
      case "move.requested":
        if (event.do === "suspend") this.#suspended = true;
        else if (event.do === "resume") this.#suspended = false;
        if (this.#entry !== undefined) foldEntry(this.#entry, event, this.#context);
        break;
      default:
        // A turn is complete when the next one begins: the fold up to here is what a resume can rely on.
        if (event.turn !== undefined && event.turn > this.#context.turn) this.#turnEnd = event.seq - 1;
        if (this.#entry !== undefined) foldEntry(this.#entry, event, this.#context);
        if (event.type === "model.answered") addAnswer(this.#total, event);
        else if (event.type === "child.progressed") addChild(this.#total, event);
    }
    this.#last = event;
  };

  readonly get = ({ alive = false }: Pick<SummarizeOptions, "alive"> = {}): RunSummary => {
    if (this.#header === undefined || this.#last === undefined) throw new TypeError("A log begins with run.started.");
    const { run, graph, mode, task, item, parent, folder, at } = this.#header;
    const records = [...this.#phases];
    // The fold continues after this, so the record of an open entry is made from a copy.
    if (this.#entry !== undefined && !alive) {
      records.push(
        closeEntry(structuredCopy(this.#entry), {
          run,
          at: this.#last.at,
          seq: this.#last.seq,
          assumeUncached: this.#assumeUncached,
          closedBy: "end-of-log",
          outcome: "failed",
          reason: "interrupted",
        }),
      );
    }
    const { reason, verified } = this.#finished ?? {};
    const evidence = reason === undefined ? undefined : evidenceAtEnd(reason, this.#gates);
    return defined({
      v: 1 as const,
      run,
      state: stateOf({ reason, verified, alive, record: records.at(-1) }),
      reason,
      verified,
      evidence: evidence && { grade: evidence.grade, why: evidence.why },
      phase: this.#phase,
      attempt: this.#attempt,
      graph,
      mode,
      task,
      item,
      parent,
      folder,
      startedAt: at,
      updatedAt: this.#last.at,
      seq: this.#last.seq,
      elapsed: this.#elapsed,
      usage: aggregateToRecord(this.#total).usage,
      phases: records,
    });
  };

  #open(to: string, event: RunEvent, resumability?: PhaseRecord["resumability"]): void {
    const stay = resumability === undefined ? (this.#stays.get(to) ?? 0) + 1 : (this.#stays.get(to) ?? 1);
    this.#stays.set(to, stay);
    this.#phase = to;
    this.#entry = openEntry({
      entry: `${to}#${String(stay)}`,
      phase: to,
      attempt: this.#attempt,
      startedAt: event.at,
      firstSeq: event.seq,
      resumability,
    });
  }

  #close(event: RunEvent, closing: Omit<EntryEnd, "run" | "at" | "seq" | "assumeUncached">): void {
    if (this.#entry === undefined) return;
    const { at, seq } = event;
    this.#phases.push(
      closeEntry(this.#entry, {
        run: this.#header?.run ?? "",
        at,
        seq,
        assumeUncached: this.#assumeUncached,
        ...closing,
      }),
    );
    this.#entry = undefined;
  }

  #passTime(event: RunEvent): void {
    if (this.#last === undefined || this.#suspended || event.type === "run.resumed" || this.#entry === undefined)
      return;
    const passed = event.at - this.#last.at;
    this.#elapsed += passed;
    this.#attemptElapsed += passed;
    this.#entry.elapsed += passed;
  }

  #resume(event: HostEvent<"run.resumed">, before: RunEvent): void {
    const resumability: NonNullable<PhaseRecord["resumability"]> = defined({
      available: this.#turnEnd > 0,
      at: before.at,
      elapsed: this.#attemptElapsed,
      events: before.seq,
      turns: this.#context.turn,
      lastEvent: before.type,
      reason: this.#finished?.reason,
      lostCalls:
        this.#context.pending.size > 0
          ? [...this.#context.pending].slice(0, 20).map(([call, tool]) => `${tool} (${call})`)
          : undefined,
      checkpointSeq: this.#turnEnd,
    });
    this.#close(before, { closedBy: "resume", outcome: "failed", reason: "interrupted" });
    this.#finished = undefined;
    this.#suspended = false;
    this.#attempt = event.attempt;
    this.#attemptElapsed = 0;
    this.#context.pending.clear();
    this.#open(this.#phase, event, resumability);
  }
}

/** Closing settles the last turn, which is the only thing it changes. */
function structuredCopy(entry: EntryFold): EntryFold {
  return { ...entry, turn: { ...entry.turn } };
}
