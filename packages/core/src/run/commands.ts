import { finishAnswer, mustStop, toolAnswer, turnAnswer } from "./answers.ts";
import { defined } from "../text/defined.ts";
import { errorToShape, stackOf } from "../text/error-shape.ts";
import { calledFromPolicy } from "../errors.ts";
import { gradeEvidence, isVerified } from "../account/evidence.ts";
import { troubleOf } from "./finish-reason.ts";
import { isReason, type Reason } from "../events/reason-codes.ts";
import { callId, isTime } from "../ingest/stamp-event.ts";
import { currentPolicyName } from "../log/policy-names.ts";
import { readMembers } from "../text/json.ts";
import type { EndOptions, FinishAnswer, MoveOptions, Run, RunOptions, ToolAnswer, TurnAnswer } from "./run.ts";
import { changedParts, type Parts } from "./run-options.ts";
import type { Limits } from "../view/run-view.ts";
import { isWaived, type ViewState } from "../view/view-state.ts";
import { givenReason, unansweredFailure } from "./why-ended.ts";

const NOT_DONE = { verified: false, outcome: "failed" } as const;

/** Everything questions and commands depend on. */
export interface CommandContext {
  readonly view: ViewState;
  /** Records an event; false if it is refused. */
  readonly record: (input: unknown) => boolean;
  /** True while a policy or an interpreter runs: it must neither ask nor end the run. */
  readonly isDeciding: () => boolean;
  readonly clock: () => number;
  readonly wakeAt: () => number | undefined;
  readonly classify: RunOptions["classify"];
  /** Names and versions of the policies, for `run.resumed`. */
  readonly policies: Parts;
  /** Limits by the options of the run, for `run.resumed`. */
  readonly limits: Limits;
  /** True if the run was read back from a log. */
  readonly isReadBack: boolean;
}

type Commands = Pick<
  Run,
  | "beforeTurn"
  | "beforeTool"
  | "beforeFinish"
  | "tick"
  | "end"
  | "stop"
  | "transition"
  | "skip"
  | "rollback"
  | "suspend"
  | "resume"
  | "waive"
>;

/** The questions and commands of a run. Each records one event and reads its answer from the view. */
export function createCommands(context: CommandContext): Commands {
  return new RunCommands(context);
}

class RunCommands implements Commands {
  readonly #context: CommandContext;
  readonly #view: ViewState;
  readonly #record: (input: unknown) => boolean;
  /** A log that was read back may be resumed once, though it is running. */
  #mayResume: boolean;

  constructor(context: CommandContext) {
    this.#context = context;
    const { view, record } = context;
    this.#view = view;
    this.#record = record;
    this.#mayResume = context.isReadBack;
  }

  readonly beforeTurn = (question: Parameters<Run["beforeTurn"]>[0] = {}): TurnAnswer => {
    this.#refuseWhileDeciding("beforeTurn");
    const asked = readMembers(question);
    const isSame = this.#view.turnOpen && (asked["agent"] === undefined || asked["agent"] === this.#view.turnAgent);
    if (!isSame && !mustStop(this.#view)) this.#record({ ...asked, type: "turn.started" });
    return turnAnswer(this.#view);
  };

  readonly beforeTool = (question: Parameters<Run["beforeTool"]>[0]): ToolAnswer => {
    this.#refuseWhileDeciding("beforeTool");
    const asked = readMembers(question);
    const given = callId(asked["call"]);
    const pending = given === undefined ? undefined : this.#view.pending.get(given);
    const call = given ?? `call-${String(this.#view.nextCall)}`;
    if (this.#view.status === "running" && pending?.turn !== this.#view.turn)
      this.#record({ ...asked, type: "tool.requested" });
    return toolAnswer(this.#view, call);
  };

  readonly beforeFinish = (question: Parameters<Run["beforeFinish"]>[0] = {}): FinishAnswer => {
    this.#refuseWhileDeciding("beforeFinish");
    if (this.#view.finish?.open !== true && this.#view.status === "running")
      this.#record({ ...readMembers(question), type: "finish.requested" });
    return finishAnswer(this.#view);
  };

  readonly tick = (now?: number): boolean => {
    this.#refuseWhileDeciding("tick");
    const time = isTime(now) ? now : this.#context.clock();
    const deadline = this.#context.wakeAt();
    if (deadline === undefined || deadline > time || this.#view.status === "ended") return false;
    this.#record({ type: "clock.ticked", at: time });
    if (this.#view.status === "suspended") this.end({ reason: "interrupted" });
    return true;
  };

  readonly end = (options: EndOptions = {}): boolean => {
    this.#refuseWhileDeciding("end");
    if (this.#view.status === "ended") return false;
    const { reason: wanted, summary, classify = this.#context.classify, ...rest } = readMembers(options) as EndOptions;
    // The run ends all the same; the `event.rejected` says which reason was wrong.
    if (wanted !== undefined && !isReason(wanted))
      this.#record({ type: "run.finished", ...NOT_DONE, phase: this.#view.phase, reason: wanted });
    const { error = wanted === undefined ? unansweredFailure(this.#view) : undefined } = rest;
    const failure = error === undefined ? undefined : { ...errorToShape(error), stack: stackOf(error) };
    const named = givenReason(this.#view, defined({ error, reason: wanted, classify }));
    const given = givenPredicate(rest.predicate);
    const natural =
      this.#view.stopped !== undefined || this.#view.status !== "running"
        ? undefined
        : given === undefined
          ? naturalEnd(this.#view)
          : "done";
    if ((named ?? natural) === "done" && this.#view.finish?.open !== true) this.beforeFinish({ canVeto: false });
    const failed = given ?? failedGate(this.#view);
    // A policy may have stopped the run at the finish.
    const reason = endReason(
      this.#view,
      named ?? this.#view.stopped?.reason ?? natural ?? "suspended",
      failed !== undefined,
    );
    // Any other reason says why the work was not over.
    const predicate = reason === "done_unverified" ? failed : undefined;
    return this.#record({
      type: "run.finished",
      reason,
      verified: reason === "done" && isVerified(gradeEvidence(this.#view.finish?.gates ?? [])),
      phase: this.#view.phase,
      outcome: predicate === undefined ? endOutcome(reason) : "failed",
      predicate,
      error: failure,
      // A run ends whatever its summary is worth.
      summary: typeof summary === "string" ? summary : undefined,
    });
  };

  readonly stop = (options: Parameters<Run["stop"]>[0]): boolean => {
    const { reason, how, by = "user", name, why } = readMembers(options);
    this.#record({ type: "move.requested", do: "stop", by, name, why, reason, how });
    return this.#view.stopped !== undefined;
  };

  readonly suspend = (options: Parameters<Run["suspend"]>[0]): boolean => {
    if (this.#view.status !== "running") return false;
    const { timeoutMs, ...who } = readMembers(options);
    const until =
      typeof timeoutMs === "number" ? Math.max(this.#view.now, this.#context.clock()) + timeoutMs : undefined;
    this.#command({ do: "suspend", until }, who);
    return (this.#view.status as string) === "suspended";
  };

  readonly resume = (who: MoveOptions & { readonly reopen?: boolean } = {}): boolean => {
    if (this.#view.status === "suspended") {
      this.#command({ do: "resume" }, who);
      return (this.#view.status as string) === "running";
    }
    if (this.#view.status === "running" && !this.#mayResume) return false;
    this.#mayResume = false;
    return this.#record({
      type: "run.resumed",
      attempt: this.#view.attempt + 1,
      policies: this.#context.policies,
      changed: changedParts(this.#view.parts, this.#context.policies),
      why: readMembers(who)["why"],
      reopened: readMembers(who)["reopen"] === true ? true : undefined,
      limits: isSame(this.#view.givenLimits, this.#context.limits) ? undefined : this.#context.limits,
    });
  };

  readonly transition: Commands["transition"] = (to, options) => this.#command({ do: "transition", to }, options);

  readonly skip: Commands["skip"] = (phase, options) => {
    this.#command({ do: "skip", to: phase }, options);
    return this.#view.skipped.has(phase);
  };

  readonly rollback: Commands["rollback"] = (to, options) => this.#command({ do: "rollback", to }, options);

  readonly waive: Commands["waive"] = (given, options) => {
    const gate = currentPolicyName(given);
    this.#command({ do: "waive", gate }, options);
    return this.#view.waivers.has(gate);
  };

  #refuseWhileDeciding(method: string): void {
    if (this.#context.isDeciding()) throw calledFromPolicy(method);
  }

  /** True if the run is in a new phase entry afterwards. */
  #command(wanted: object, options?: unknown): boolean {
    const { phaseEntry } = this.#view;
    const { by = "user", ...who } = readMembers(options);
    return this.#record({ ...who, ...wanted, type: "move.requested", by }) && phaseEntry !== this.#view.phaseEntry;
  }
}

/** The given reason, and for `done` what the last answer, a gate or a false condition makes of it. */
function endReason(view: ViewState, given: Reason, isFalse: boolean): Reason {
  if (given !== "done") return given;
  const unmet = isFalse || hasUnmet(view);
  return troubleOf(view.lastAnswer) ?? closingReason(view, unmet) ?? (unmet ? "done_unverified" : given);
}

/** The end that the agent's last words give, where its calls agree: it gave up, or asked before it changed anything. */
function closingReason(view: ViewState, unmet: boolean): Reason | undefined {
  const { lastWords, lastTryFailed, changedSinceAsked } = view;
  if (lastWords?.givesUp === true && lastTryFailed && (unmet || !changedSinceAsked)) return "gave_up";
  if (lastWords?.asks !== true || changedSinceAsked || unmet) return undefined;
  return isVerified(gradeEvidence(view.finish?.gates ?? [])) ? undefined : "asked";
}

/** A run ends whatever the name of its condition is worth. */
function givenPredicate(predicate: unknown): string | undefined {
  if (predicate === undefined) return undefined;
  return typeof predicate === "string" && predicate.trim() !== "" ? predicate : "unknown";
}

/** The gate that failed last in the present phase entry, unless it was waived. */
function failedGate(view: ViewState): string | undefined {
  return [...view.failedGates].findLast((gate) => !isWaived(view, gate));
}

function isSame(before: Limits, now: Limits): boolean {
  const names = Object.keys({ ...before, ...now }) as (keyof Limits)[];
  return names.every((name) => before[name] === now[name]);
}

/** The end of a run that was not stopped: not `done` if the model asked for tools and the host left its loop. */
function naturalEnd({ lastAnswer, handedIn, finish }: ViewState): Reason {
  return lastAnswer?.finish === "tool-calls" && !handedIn && finish?.open !== true ? "step_limit" : "done";
}

function endOutcome(reason: Reason): "completed" | "abandoned" | "failed" {
  if (reason === "done" || reason === "done_unverified" || reason === "asked") return "completed";
  return reason === "abandoned" ? "abandoned" : "failed";
}

const hasUnmet = (view: ViewState): boolean => (view.finish?.unmet.length ?? 0) > 0;
