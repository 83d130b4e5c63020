import type { NudgeLimits } from "../step/arbitrate-nudges.ts";
import type { ClipLimits } from "../text/clip.ts";
import type { StopHow } from "../events/derived-events.ts";
import type { Actor, EntryOutcome, NewEvent, RunEvent } from "../events/run-event.ts";
import type { Evidence } from "../account/evidence.ts";
import type { InterpreterSource } from "../ingest/interpreter.ts";
import type { PhaseGraph } from "../graph/phase-graph.ts";
import type { PolicyList } from "../policies/policy.ts";
import type { Reason } from "../events/reason-codes.ts";
import { assembleRun } from "./assemble-run.ts";
import { printProblems } from "./print-problems.ts";
import type { Mode, PendingReview, RunOutcome, RunView, SentNudge } from "../view/run-view.ts";
import type { Redactor } from "../ingest/ingest-context.ts";
import type { RunSnapshot } from "./snapshot-run.ts";

/** Options for `createRun()`. All optional; an invalid one throws. */
export interface RunOptions<TPhase extends string = string> {
  /** @default one phase, "working" */
  readonly graph?: PhaseGraph<TPhase>;
  /**
   * Interprets tool calls. With several interpreters, the first one to set a field wins.
   * @default nameTableInterpreter()
   */
  readonly interpret?: InterpreterSource | readonly InterpreterSource[];
  readonly policies?: PolicyList<NoInfer<TPhase>>;
  /** @default "nudge" */
  readonly mode?: Mode;
  readonly id?: string;
  readonly task?: { readonly id?: string; readonly kind?: string; readonly text?: string };
  /** The folder of the project the agent works in: files elsewhere are not its work. @default what the paths show */
  readonly folder?: string;
  /** The work item this run serves. */
  readonly item?: { readonly id: string; readonly phase?: string; readonly version?: number };
  readonly parent?: { readonly run: string; readonly call?: string; readonly depth?: number };
  readonly redact?: Redactor;
  readonly clip?: ClipLimits;
  readonly nudges?: NudgeLimits;
  /** Vetoes without progress in between, and in all. @default { sinceProgress: 3, inAll: 6 } */
  readonly maxVetoes?: { readonly sinceProgress?: number; readonly inAll?: number };
  /** Continues where `snapshot()` was taken; the other options are those the run had. */
  readonly from?: RunSnapshot;
  /** @default Date.now */
  readonly clock?: () => number;
  /** @default a random id */
  readonly createId?: () => string;
  /** Classifies an error the host threw, or the last failed model call. @default by status, code and name */
  readonly classify?: (error: unknown) => Reason;
  /** Called if a subscriber or the redactor throws. The agent never notices either way. */
  readonly onError?: (error: unknown) => void;
}

/** The answer to `beforeTurn()`. */
export interface TurnAnswer {
  readonly turn: number;
  /** The nudges for the agent, one by one, and as the one message to add after all tool results. */
  readonly nudges: readonly SentNudge[];
  readonly message: string | undefined;
  /** Tools of this phase, by glob patterns, in mode `gate`; hiding is optional, `beforeTool` guards execution. */
  readonly tools: { readonly allow?: readonly string[]; readonly deny?: readonly string[] } | undefined;
  /** The label of the model this phase wants; not in mode `observe`. */
  readonly model: string | undefined;
  /** A review to wait for before the turn. */
  readonly review: PendingReview | undefined;
  /** Take this turn without tools, then stop. */
  readonly wrapUp: boolean;
  readonly stop: { readonly reason: Reason; readonly how: StopHow; readonly text?: string } | undefined;
}

/** The answer to `beforeTool()`. If the tool may not run, the agent gets `text` instead of a result. */
export type ToolAnswer =
  | { readonly allow: true; readonly call: string; readonly text?: undefined }
  | { readonly allow: false; readonly call: string; readonly text: string };

/** The answer to `beforeFinish()`. If the agent may not finish, it gets `text`. */
export type FinishAnswer =
  | {
      readonly accept: true;
      readonly verified: boolean;
      readonly evidence: Evidence;
      readonly unmet: readonly { readonly gate: string; readonly text: string }[];
    }
  | { readonly accept: false; readonly text: string; readonly evidence: Evidence };

/** Gets every step as one list: a host event and everything it caused. */
export type Subscriber = (step: readonly RunEvent[]) => void;

/** Options of commands: the actor, and the reason. */
export interface MoveOptions {
  /** @default "user" */
  readonly by?: Actor;
  /** A name for people: of the agent, the judge, the person. */
  readonly name?: string;
  readonly why?: string;
  readonly agent?: string;
}

/** Options of `end()`. */
export interface EndOptions {
  /** @default what the run knows: its stop, an unmet gate, or done */
  readonly reason?: Reason;
  readonly error?: unknown;
  /**
   * The condition that was false when the work was over, such as "interface_missed": the run ends as `done_unverified`,
   * and its last phase failed. An error or another reason says more, and is recorded instead. @default the last gate
   * that failed as a `check.finished` in this phase
   */
  readonly predicate?: string;
  readonly summary?: string;
  /** Classifies the error. If it fails or returns no known reason, the run ends as `unknown`. @default the run's own */
  readonly classify?: (error: unknown) => Reason;
}

/** The part of a run an adapter needs. It is not typed by phase, so any run fits. */
export interface RunPort {
  readonly id: string;
  readonly view: RunView;
  readonly mode: Mode;
  readonly outcome: RunOutcome | undefined;
  /** The earliest deadline of a policy: call `tick` then. */
  readonly wakeAt: number | undefined;
  /** Records an event. Returns false if the run has ended or the event is invalid; never throws. */
  readonly record: (event: NewEvent) => boolean;
  /** Asks before each model call. Asking again before anything happened gives the same answer. */
  readonly beforeTurn: (options?: {
    readonly agent?: string;
    readonly at?: number;
    readonly prompt?: string;
  }) => TurnAnswer;
  /** Asks before each tool call. Asking again for the same call gives the same answer. */
  readonly beforeTool: (call: {
    readonly call?: string;
    readonly tool: string;
    readonly input?: unknown;
    readonly agent?: string;
    readonly at?: number;
  }) => ToolAnswer;
  /** Asks when the agent says it is done. Say so when the host cannot send it back. */
  readonly beforeFinish: (options?: {
    readonly canVeto?: boolean;
    readonly text?: string;
    readonly agent?: string;
    readonly at?: number;
  }) => FinishAnswer;
  /** Feeds streamed text to the policies that watch it; the same whatever the chunks are. */
  readonly text: (delta: string, options?: { readonly stream?: string }) => { readonly stop: boolean };
  /** Lets time pass: records an event only when a deadline has passed. */
  readonly tick: (now?: number) => boolean;
  readonly end: (options?: EndOptions) => boolean;
  /** Sets the run aside, such as while a person is asked. Time does not count until `resume()`. */
  readonly suspend: (options?: MoveOptions & { readonly timeoutMs?: number }) => boolean;
  /** Asks the agent's host to stop. */
  readonly stop: (options?: MoveOptions & { readonly reason?: Reason; readonly how?: StopHow }) => boolean;
  /**
   * Returns the whole state of the run as JSON, for hosts that hand over state instead of replaying a log.
   * `createRun({ from })` continues it with the same events, byte for byte. Take it between two turns.
   * @throws NOT_STORABLE with the name of the policy whose state cannot be stored
   */
  readonly snapshot: () => RunSnapshot;
  /** Starts a run for a sub-agent. */
  readonly child: <const TChild extends string = "working">(options?: ChildOptions<TChild>) => Run<NoInfer<TChild>>;
  /** Gets every step. A subscriber that comes within the first 256 events gets the run from its beginning. */
  readonly subscribe: (subscriber: Subscriber) => () => void;
}

/** A child takes mode, redaction, clock and limits from its parent; its policies are its own. */
export interface ChildOptions<TPhase extends string = string> extends Omit<RunOptions<TPhase>, "parent" | "from"> {
  /** The tool call that started it. */
  readonly call?: string;
}

/** One agent working on one task. */
export interface Run<TPhase extends string = string> extends RunPort {
  readonly view: RunView<TPhase>;
  /** Moves the run if the graph allows it. With `from`, only if the run is still there. */
  readonly transition: (
    to: TPhase,
    options?: MoveOptions & {
      readonly from?: TPhase;
      readonly message?: string;
      readonly summary?: string;
      readonly outcome?: EntryOutcome;
      readonly reason?: Reason;
      readonly predicate?: string;
      readonly data?: unknown;
    },
  ) => boolean;
  /** Counts a phase as visited without staying in it: for users and judges, with a reason. */
  readonly skip: (phase: TPhase, options: MoveOptions & { readonly why: string }) => boolean;
  /** Goes back to an earlier entry, by phase or as `acting#1`; what was spent stays spent. */
  readonly rollback: (to?: TPhase | `${TPhase}#${number}`, options?: MoveOptions) => boolean;
  /**
   * Continues after a suspension, or opens the next attempt of a run that something cut short (`reasons[…].resumable`);
   * with `reopen`, of any run that has ended. Limits that are new take the place of those the run had.
   */
  readonly resume: (options?: MoveOptions & { readonly reopen?: boolean }) => boolean;
  /** Lets the run finish without a gate: for users and judges, with a reason. */
  readonly waive: (gate: string, options: MoveOptions & { readonly why: string; readonly until?: number }) => boolean;
}

/**
 * Creates a run. Without options it records and counts, and every answer lets the agent continue.
 *
 * @example
 * const run = createRun({ graph: codingPhases, policies: [budget({ turns: 60 }), stallReminder()] });
 * @throws DUPLICATE_POLICY, UNKNOWN_PHASE, UNKNOWN_GUARD, INVALID_OPTION; with `from`, DAMAGED_SNAPSHOT, OTHER_SNAPSHOT
 */
export function createRun<const TPhase extends string = "working">(
  options: RunOptions<TPhase> = {},
): Run<NoInfer<TPhase>> {
  const { run } = assembleRun(options);
  printProblems(run, options);
  return run;
}
