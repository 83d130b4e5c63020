import type { GateFinding } from "../account/evidence.ts";
import type { HostEvent } from "../events/run-event.ts";
import type { LastAnswer } from "../run/finish-reason.ts";
import type { LastWords } from "../run/last-words.ts";
import type { Recent } from "../text/bounded.ts";
import { RunFields } from "./run-fields.ts";
import type { Limits, OwedVisit, SentNudge } from "./run-view.ts";

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
  failedGates: 64,
  refusals: 64,
  entries: 200,
  files: 4096,
} as const;

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

/**
 * The state of a run: the fields policies read, and those that only the run itself needs, each with its value before
 * the first event. Everything in it is folded from events, in constant time per event.
 */
export class ViewState extends RunFields {
  /** A turn was started and nothing came of it yet: asking again is the same question. */
  turnOpen = false;
  /** The source of turns: `turn.started`, model answers, or none. */
  turnSource: "none" | "answers" | "starts" = "none";
  turnHasTools = false;
  turnAgent: string | undefined = undefined;
  /** The last model call, if it failed: an error the host may not have thrown. */
  modelFailure: NonNullable<HostEvent<"run.finished">["error"]> | undefined = undefined;
  lastAnswer: LastAnswer | undefined = undefined;
  /** Input tokens of the last model call of the run itself. */
  contextTokens = 0;
  /** The last call handed the work in, so that no further answer is needed. */
  handedIn = false;
  lastWords: LastWords | undefined = undefined;
  /** The last call that was more than a look failed. */
  lastTryFailed = false;
  /** A change landed since the user last spoke. */
  changedSinceAsked = false;
  nextIndex = 0;
  nextCall = 1;
  nextNudge = 1;
  sentInEntry = 0;
  movedBy = 0;
  tickedAt = 0;
  suspendUntil: number | undefined = undefined;
  wrapUpTurn: number | undefined = undefined;
  parts: HostEvent<"run.started">["policies"] = [];
  vetoesSinceProgress = 0;
  vetoesInAll = 0;
  finish: FinishState | undefined = undefined;
  /** Limits as the options gave them, without what was granted since. */
  givenLimits: Limits = {};
  /** Gates whose last `check.finished` in the present entry did not succeed, the newest last. */
  readonly failedGates = new Set<string>();
  /** Files read in the present entry. */
  readonly entryFiles = new Set<string>();
  readonly finishedCalls: Recent = { fresh: new Set(), older: new Set() };
  readonly openNudges = new Map<string, SentNudge>();
  /** The nudges of the present turn, in the order they are sent. */
  readonly turnNudges: SentNudge[] = [];
  /** How often something was said in its episode. */
  readonly episodes = new Map<string, number>();
  readonly drops = new Map<string, true>();
  readonly spokeAt = new Map<string, number>();
  readonly nudgeCounts = new Map<string, number>();
  readonly reviewCounts = new Map<string, number>();
  readonly stays = new Map<string, number>();
  readonly entryList: Entry[] = [];
  readonly skipped = new Set<string>();
  readonly refusals = new Map<string, true>();
  readonly stops = new Map<string, true>();
  readonly waivers = new Map<string, { readonly until: number | undefined }>();
  readonly vetoedAt = new Map<string, number>();
  readonly failures = new Map<string, number>();
  readonly disabled = new Set<string>();
}

/** The key of an alert or an episode: a policy and what it is about. */
export const identity = (...parts: readonly string[]): string => parts.join("\u0000");

/** True if a person or a judge lets the run finish without this gate. */
export function isWaived({ waivers, now }: ViewState, gate: string): boolean {
  const waiver = waivers.get(gate);
  return waiver !== undefined && now < (waiver.until ?? Infinity);
}
