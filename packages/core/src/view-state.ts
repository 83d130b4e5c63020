import type { Recent } from "./bounded.ts";
import type { LastAnswer } from "./finish-reason.ts";
import type { HostEvent } from "./events/run-event.ts";
import type { GateFinding } from "./evidence.ts";
import type { PhaseGraph } from "./phase-graph.ts";
import type {
  ChildSummary,
  EntryMetrics,
  Mode,
  OpenAlert,
  OwedVisit,
  PendingCall,
  PendingReview,
  RunView,
  SentNudge,
  TransitionRecord,
  UsageTotals,
} from "./run-view.ts";

/** How much of each kind the view remembers. */
export const VIEW_LIMITS = {
  transitions: 200,
  nudges: 32,
  episodes: 256,
  alerts: 64,
  pending: 128,
  finishedCalls: 256,
  reviews: 16,
  children: 256,
  waivers: 64,
  refusals: 64,
  entries: 200,
  files: 4096,
} as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  readonly name: string;
  readonly phase: string;
  /** Visits owed when it began, for a rollback. */
  readonly owed: readonly OwedVisit[];
}

/** The result of the last finish request. */
interface FinishState {
  seq: number;
  /** Nothing happened since it was asked. */
  open: boolean;
  vetoed: boolean;
  readonly texts: string[];
  readonly unmet: { readonly gate: string; readonly text: string }[];
  readonly gates: GateFinding[];
}

/** The view with what only the run itself needs. Everything in it is folded from events, in constant time per event. */
export interface ViewState
  extends Omit<Mutable<RunView>, "isIn" | "canMove" | "read" | "nudgeCount" | keyof Collections>, Collections {
  /** A turn was started and nothing came of it yet: asking again is the same question. */
  turnOpen: boolean;
  /** The source of turns: `turn.started`, model answers, or none. */
  turnSource: "none" | "answers" | "starts";
  turnHasTools: boolean;
  turnAgent: string | undefined;
  /** The last model call, if it failed: an error the host may not have thrown. */
  modelFailure: NonNullable<HostEvent<"run.finished">["error"]> | undefined;
  lastAnswer: LastAnswer | undefined;
  /** The last call handed the work in, so that no further answer is needed. */
  handedIn: boolean;
  nextIndex: number;
  nextCall: number;
  nextNudge: number;
  sentInEntry: number;
  movedBy: number;
  tickedAt: number;
  suspendUntil: number | undefined;
  wrapUpTurn: number | undefined;
  parts: HostEvent<"run.started">["policies"];
  vetoesSinceProgress: number;
  vetoesInAll: number;
  finish: FinishState | undefined;
}

interface Collections {
  readonly usage: Mutable<UsageTotals>;
  entry: Mutable<EntryMetrics>;
  /** Files read in the present entry. */
  readonly entryFiles: Set<string>;
  readonly pending: Map<string, PendingCall>;
  readonly finishedCalls: Recent;
  /** Policies read these two as they are: each is replaced, never changed. */
  transitions: readonly TransitionRecord[];
  nudges: readonly SentNudge[];
  readonly openNudges: Map<string, SentNudge>;
  /** The nudges of the present turn, in the order they are sent. */
  readonly turnNudges: SentNudge[];
  /** How often something was said in its episode. */
  readonly episodes: Map<string, number>;
  readonly drops: Map<string, true>;
  readonly spokeAt: Map<string, number>;
  readonly nudgeCounts: Map<string, number>;
  readonly alerts: Map<string, OpenAlert & { readonly on: string }>;
  readonly reviews: Map<string, PendingReview>;
  readonly reviewCounts: Map<string, number>;
  readonly children: Map<string, ChildSummary>;
  readonly stays: Map<string, number>;
  readonly entryList: Entry[];
  readonly skipped: Set<string>;
  readonly refusals: Map<string, true>;
  readonly stops: Map<string, true>;
  readonly waivers: Map<string, { readonly until: number | undefined }>;
  readonly vetoedAt: Map<string, number>;
  readonly failures: Map<string, number>;
  readonly disabled: Set<string>;
  owed: OwedVisit[];
}

/** The key of an alert or an episode: a policy and what it is about. */
export const identity = (...parts: readonly string[]): string => parts.join("\u0000");

/** Counters of an entry that has just begun. */
export const noMetrics = (): Mutable<EntryMetrics> => ({
  turns: 0,
  iterations: 0,
  toolCalls: 0,
  toolErrors: 0,
  activeMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  filesRead: 0,
});

/** A run before its first event. */
export function emptyView({
  id,
  graph,
  mode,
}: {
  readonly id: string;
  readonly graph: PhaseGraph;
  readonly mode: Mode;
}): ViewState {
  return {
    id,
    task: undefined,
    item: undefined,
    parent: undefined,
    attempt: 1,
    mode,
    status: "running",
    graph,
    phase: graph.initial,
    phaseEntry: "",
    phaseStartedAt: 0,
    previousPhase: undefined,
    now: 0,
    startedAt: 0,
    seq: 0,
    turn: 0,
    turnsInPhase: 0,
    iterations: 0,
    toolCalls: 0,
    activeMs: 0,
    limits: {},
    compactions: 0,
    lastProgress: undefined,
    stopped: undefined,
    turnOpen: false,
    turnSource: "none",
    turnHasTools: false,
    turnAgent: undefined,
    modelFailure: undefined,
    lastAnswer: undefined,
    handedIn: false,
    nextIndex: 0,
    nextCall: 1,
    nextNudge: 1,
    sentInEntry: 0,
    movedBy: 0,
    tickedAt: 0,
    suspendUntil: undefined,
    wrapUpTurn: undefined,
    outcome: undefined,
    parts: [],
    vetoesSinceProgress: 0,
    vetoesInAll: 0,
    finish: undefined,
    usage: {
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
    },
    entry: noMetrics(),
    entryFiles: new Set(),
    pending: new Map(),
    finishedCalls: { fresh: new Set(), older: new Set() },
    transitions: [],
    nudges: [],
    openNudges: new Map(),
    turnNudges: [],
    episodes: new Map(),
    drops: new Map(),
    spokeAt: new Map(),
    nudgeCounts: new Map(),
    alerts: new Map(),
    reviews: new Map(),
    reviewCounts: new Map(),
    children: new Map(),
    stays: new Map(),
    entryList: [],
    skipped: new Set(),
    refusals: new Map(),
    stops: new Map(),
    waivers: new Map(),
    vetoedAt: new Map(),
    failures: new Map(),
    disabled: new Set(),
    owed: [],
  };
}
