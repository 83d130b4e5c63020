import type { StopHow } from "../events/derived-events.ts";
import type { Reason } from "../events/reason-codes.ts";
import type { HostEvent } from "../events/run-event.ts";
import type { PhaseGraph } from "../graph/phase-graph.ts";
import type {
  ChildSummary,
  EntryMetrics,
  Limits,
  Mode,
  OpenAlert,
  OwedVisit,
  PendingCall,
  PendingReview,
  RunOutcome,
  RunStatus,
  SentNudge,
  TransitionRecord,
  UsageTotals,
} from "./run-view.ts";

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Fields of a run that policies read, each with its value before the first event. A field is written here and nowhere
 * else: `RunView` has its type and its comment, and the view of a run has a getter for it.
 */
export class RunFields {
  readonly id: string;
  task: HostEvent<"run.started">["task"] = undefined;
  item: HostEvent<"run.started">["item"] = undefined;
  parent: HostEvent<"run.started">["parent"] = undefined;
  attempt = 1;
  readonly mode: Mode;
  status: RunStatus = "running";
  readonly graph: PhaseGraph;
  phase: string;
  /** The present stay, as `acting#2`: the second one in that phase. */
  phaseEntry = "";
  phaseStartedAt = 0;
  previousPhase: string | undefined = undefined;
  /** The cost of the present entry so far. */
  entry: Mutable<EntryMetrics> = noMetrics();
  /** The time of the newest event. */
  now = 0;
  startedAt = 0;
  /** The sequence number of the newest event. */
  seq = 0;
  turn = 0;
  turnsInPhase = 0;
  /** Turns with at least one tool call. */
  iterations = 0;
  toolCalls = 0;
  /** Time charged to the run: neither suspended time nor the gap before a resume. */
  activeMs = 0;
  readonly usage: Mutable<UsageTotals> = noUsage();
  limits: Limits = {};
  /** How often the host shortened the conversation. */
  compactions = 0;
  readonly pending = new Map<string, PendingCall>();
  /** The last 200 moves; the log keeps all. A move replaces the list. */
  transitions: readonly TransitionRecord[] = [];
  /** The last 32 nudges, guidance included. A nudge replaces the list. */
  nudges: readonly SentNudge[] = [];
  /** Open alerts, at most 64, oldest first. */
  readonly alerts = new Map<string, OpenAlert>();
  readonly reviews = new Map<string, PendingReview>();
  readonly children = new Map<string, ChildSummary>();
  lastProgress:
    { readonly seq: number; readonly turn: number; readonly at: number; readonly what: string } | undefined = undefined;
  /** The stop the host has to carry out. */
  stopped: { readonly reason: Reason; readonly how: StopHow; readonly text?: string; readonly by: string } | undefined =
    undefined;
  owed: OwedVisit[] = [];
  /** Set once the attempt has ended. */
  outcome: RunOutcome | undefined = undefined;

  constructor({ id, graph, mode }: { readonly id: string; readonly graph: PhaseGraph; readonly mode: Mode }) {
    this.id = id;
    this.graph = graph;
    this.mode = mode;
    this.phase = graph.initial;
  }
}

/** The type of a field for readers. */
type ReadOnlyField<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, V>
    : T extends readonly (infer E)[]
      ? readonly E[]
      : T extends UsageTotals
        ? UsageTotals
        : T extends EntryMetrics
          ? EntryMetrics
          : T;

/** The fields of a run for readers. */
export type ReadOnlyFields = { readonly [K in keyof RunFields]: ReadOnlyField<RunFields[K]> };

/** Counters of an entry that has just begun. */
export function noMetrics(): Mutable<EntryMetrics> {
  return {
    turns: 0,
    iterations: 0,
    toolCalls: 0,
    toolErrors: 0,
    activeMs: 0,
    inputTokens: 0,
    outputTokens: 0,
    filesRead: 0,
  };
}

function noUsage(): Mutable<UsageTotals> {
  return {
    chargedTokens: 0,
    modelCalls: 0,
    unknownCalls: 0,
    estimatedCalls: 0,
    unpricedCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    cost: 0,
  };
}
