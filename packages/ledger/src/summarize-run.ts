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

/** A summary that is fed event by event: for stores and views that follow a run. */
export function createSummary({ assumeUncached = false }: Pick<SummarizeOptions, "assumeUncached"> = {}): {
  readonly add: (event: RunEvent) => void;
  readonly get: (options?: Pick<SummarizeOptions, "alive">) => RunSummary;
} {
  let header: HostEvent<"run.started"> | undefined;
  let finished: HostEvent<"run.finished"> | undefined;
  let last: RunEvent | undefined;
  let entry: EntryFold | undefined;
  let phase = "";
  let attempt = 1;
  let elapsed = 0;
  let suspended = false;
  let turnEnd = 0;
  let attemptElapsed = 0;
  const stays = new Map<string, number>();
  const total = emptyAggregate();
  const phases: PhaseRecord[] = [];
  const gates: GateFinding[] = [];
  const context: RunContext = { turn: 0, iterationTurn: 0, pending: new Map(), sent: new Map(), loop: undefined };

  function open(to: string, event: RunEvent, resumability?: PhaseRecord["resumability"]): void {
    const stay = resumability === undefined ? (stays.get(to) ?? 0) + 1 : (stays.get(to) ?? 1);
    stays.set(to, stay);
    phase = to;
    entry = openEntry({
      entry: `${to}#${String(stay)}`,
      phase: to,
      attempt,
      startedAt: event.at,
      firstSeq: event.seq,
      resumability,
    });
  }

  function close(event: RunEvent, closing: Omit<EntryEnd, "run" | "at" | "seq" | "assumeUncached">): void {
    if (entry === undefined) return;
    const { at, seq } = event;
    phases.push(closeEntry(entry, { run: header?.run ?? "", at, seq, assumeUncached, ...closing }));
    entry = undefined;
  }

  function passTime(event: RunEvent): void {
    if (last === undefined || suspended || event.type === "run.resumed" || entry === undefined) return;
    const passed = event.at - last.at;
    elapsed += passed;
    attemptElapsed += passed;
    entry.elapsed += passed;
  }

  function resume(event: HostEvent<"run.resumed">, before: RunEvent): void {
    const resumability: NonNullable<PhaseRecord["resumability"]> = defined({
      available: turnEnd > 0,
      at: before.at,
      elapsed: attemptElapsed,
      events: before.seq,
      turns: context.turn,
      lastEvent: before.type,
      reason: finished?.reason,
      lostCalls:
        context.pending.size > 0
          ? [...context.pending].slice(0, 20).map(([call, tool]) => `${tool} (${call})`)
          : undefined,
      checkpointSeq: turnEnd,
    });
    close(before, { closedBy: "resume", outcome: "failed", reason: "interrupted" });
    finished = undefined;
    suspended = false;
    attempt = event.attempt;
    attemptElapsed = 0;
    context.pending.clear();
    open(phase, event, resumability);
  }

  function add(stored: RunEvent): void {
    const event = upgradeEvent(stored);
    passTime(event);
    if (event.type === "finish.requested") gates.length = 0;
    const finding = findingOf(event);
    if (finding !== undefined && gates.length < MAX_GATES) gates.push(finding);
    switch (event.type) {
      case "run.started":
        header = event;
        attempt = event.attempt;
        open(event.phase, event);
        break;
      case "run.resumed":
        if (last !== undefined) resume(event, last);
        break;
      case "phase.transition":
        close(event, {
          closedBy: "transition",
          next: event.to,
          outcome: event.outcome,
          reason: event.endReason,
          predicate: event.predicate,
        });
        open(event.to, event);
        break;
      case "phase.rolled-back":
        close(event, { closedBy: "rollback", next: event.to, outcome: "abandoned", reason: "rolled_back" });
        open(event.to, event);
        break;
      case "run.finished": {
        if (entry !== undefined) foldEntry(entry, event, context);
        const { outcome, reason, predicate, error } = event;
        close(event, { closedBy: "finish", outcome, reason, predicate, error });
        finished = event;
        break;
      }
      case "move.requested":
        if (event.do === "suspend") suspended = true;
        else if (event.do === "resume") suspended = false;
        if (entry !== undefined) foldEntry(entry, event, context);
        break;
      default:
        // A turn is complete when the next one begins: the fold up to here is what a resume can rely on.
        if (event.turn !== undefined && event.turn > context.turn) turnEnd = event.seq - 1;
        if (entry !== undefined) foldEntry(entry, event, context);
        if (event.type === "model.answered") addAnswer(total, event);
        else if (event.type === "child.progressed") addChild(total, event);
    }
    last = event;
  }

  function get({ alive = false }: Pick<SummarizeOptions, "alive"> = {}): RunSummary {
    if (header === undefined || last === undefined) throw new TypeError("A log begins with run.started.");
    const { run, graph, mode, task, item, parent, folder, at } = header;
    const records = [...phases];
    // The fold continues after this, so the record of an open entry is made from a copy.
    if (entry !== undefined && !alive) {
      records.push(
        closeEntry(structuredCopy(entry), {
          run,
          at: last.at,
          seq: last.seq,
          assumeUncached,
          closedBy: "end-of-log",
          outcome: "failed",
          reason: "interrupted",
        }),
      );
    }
    const { reason, verified } = finished ?? {};
    const evidence = reason === undefined ? undefined : evidenceAtEnd(reason, gates);
    return defined({
      v: 1 as const,
      run,
      state: stateOf({ reason, verified, alive, record: records.at(-1) }),
      reason,
      verified,
      evidence: evidence && { grade: evidence.grade, why: evidence.why },
      phase,
      attempt,
      graph,
      mode,
      task,
      item,
      parent,
      folder,
      startedAt: at,
      updatedAt: last.at,
      seq: last.seq,
      elapsed,
      usage: aggregateToRecord(total).usage,
      phases: records,
    });
  }

  return { add, get };
}

/** Closing settles the last turn, which is the only thing it changes. */
function structuredCopy(entry: EntryFold): EntryFold {
  return { ...entry, turn: { ...entry.turn } };
}
