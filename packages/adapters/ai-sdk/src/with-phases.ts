import { type RunPort, runEnded, type TurnAnswer } from "@phasekit/core";
import { answerReview, createNudgeAnchors, isOffered, modelForLabel, type Reviewer, runFrom, type RunSource, runStopped, shieldRun, systemClock } from "@phasekit/core/adapter";
import { recordGivenResults } from "./given-results.ts";
import { guardTools } from "./guard-tools.ts";
import { partIn } from "./model-parts.ts";
import { observeModel } from "./observe-model.ts";
import { recordCall } from "./phase-telemetry.ts";
import { watchStep } from "./watch-step.ts";

/** The steering of AI SDK 7, as far as it is used. */
export interface Steering {
  readonly steer: (message: string) => Promise<unknown>;
}

export interface PhaseOptions {
  /** The models behind the labels of phases. A label that is not here keeps the model of the call. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Somebody to ask when a policy wants a review. The step waits for the answer. */
  readonly reviewer?: Reviewer;
  /** `experimental_createSteering` of AI SDK 7: with it a finish can be sent back. Without it see `runUntilVerified`. */
  readonly createSteering?: () => Steering;
  /** Shows the model only the tools of the phase, at the price of the provider's cache. Calls are refused either way. @default false */
  readonly hideTools?: boolean;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

/** What is known about a call when a run is looked for. */
export interface CallContext {
  readonly options: object;
}

/** The options that are looked at; everything else passes as it is. */
interface LoopOptions {
  readonly model?: unknown;
  readonly tools?: object;
  readonly stopWhen?: unknown;
  readonly prepareStep?: PrepareStep;
  /** Of an agent's settings: makes the options of one call out of them. */
  readonly prepareCall?: (call: object) => unknown;
  readonly onStepEnd?: StepCallback;
  readonly onStepFinish?: StepCallback;
  readonly onLanguageModelCallEnd?: StepCallback;
  readonly experimental_steering?: Steering;
}
type StepCallback = (step: unknown) => unknown;
type PrepareStep = (step: StepInput) => unknown;
interface StepInput {
  readonly messages: readonly unknown[];
}

/** What one call remembers. */
interface CallState {
  /** The options it has in the end. */
  options: LoopOptions;
  /** The closing turn was taken. */
  closed: boolean;
  /** The answer of this step was recorded. */
  answered: boolean;
}

const CLOSING = "This is the last turn. Use no tools; say what is done, what is not, and what should happen next.";

/**
 * The options of `generateText`, `streamText` or a `ToolLoopAgent` with a run in them: your own `prepareStep`,
 * `stopWhen` and callbacks are kept and called. Wrap them anew for every call.
 *
 * @example
 * await trackRun(run, () => generateText(withPhases(run, { model, tools, prompt, stopWhen: stepCountIs(40) })));
 * @throws RUN_ENDED when the run has ended.
 */
export function withPhases<TOptions extends object>(source: RunSource<CallContext>, options: TOptions, phaseOptions: PhaseOptions = {}): TOptions {
  const run = runFrom(source, { options });
  const given: LoopOptions = options;
  const { clock = systemClock } = phaseOptions;
  const steering = given.experimental_steering ?? phaseOptions.createSteering?.();
  const state: CallState = { options, closed: false, answered: true };
  const onStep: StepCallback = async (step) => {
    // Versions 5 and 6 with a model by name: here is the first place where its answer is seen, after its tools.
    if (!state.answered) recordCall(run, step);
    watchStep(run, step, { steering, closed: state.closed });
    await (given.onStepEnd ?? given.onStepFinish)?.(step);
  };
  const onCallEnd: StepCallback = async (event) => {
    if (!state.answered) recordCall(run, event);
    state.answered = true;
    await given.onLanguageModelCallEnd?.(event);
  };
  const stopsRun = (): boolean => mustStop(run, state);
  const watched = new WeakSet<PrepareStep>();
  /** The members a run is put into; those that have it already stay as they are. */
  const watch = ({ model, tools, stopWhen, prepareStep }: LoopOptions): LoopOptions => ({
    ...(model !== undefined && { model: observeModel(run, model, clock) }),
    ...(tools !== undefined && { tools: guardTools(run, tools, clock) }),
    // The defaults differ by function, and a condition of ours would replace them: only added where there is one.
    ...(stopWhen !== undefined && { stopWhen: [...new Set([stopWhen, stopsRun].flat())] }),
    prepareStep: prepareStep !== undefined && watched.has(prepareStep) ? prepareStep : watchSteps(prepareStep),
  });
  const watchSteps = (theirs: PrepareStep | undefined): PrepareStep => {
    const prepare: PrepareStep = async (step) => {
      if (shieldRun(run).attempt("status", () => run.view.status === "ended", false)) throw runEnded(run.id);
      recordGivenResults(run, step.messages);
      const wanted = partIn(await theirs?.(step));
      const turn = await answerReview(run, shieldRun(run).beforeTurn(), phaseOptions.reviewer);
      if (turn.stop?.how === "abort") throw runStopped(turn.stop.reason);
      if (turn.wrapUp || turn.stop !== undefined) state.closed = true;
      const prepared = shieldRun(run).attempt("prepareStep", () => prepareStep(run, { step, theirs: wanted, turn, options: state.options, phaseOptions }), wanted);
      state.answered = typeof (partIn(prepared)["model"] ?? state.options.model) !== "string";
      return prepared;
    };
    watched.add(prepare);
    return prepare;
  };
  const { prepareCall } = given;
  return {
    ...options,
    ...watch(given),
    ...(steering !== undefined && { experimental_steering: steering }),
    ...(given.onStepEnd === undefined ? { onStepFinish: onStep } : { onStepEnd: onStep }),
    ...(typeof given.model === "string" && { onLanguageModelCallEnd: onCallEnd }),
    ...(prepareCall !== undefined && {
      prepareCall: async (call: object) => {
        // What it gives replaces everything, the settings it was given included.
        const prepared = (await prepareCall(call)) ?? call;
        state.options = partIn(prepared);
        return { ...state.options, ...watch(state.options) };
      },
    }),
  };
}

/** Whether the loop ends after these results; a closing turn that is still to come keeps it going. */
function mustStop(run: RunPort, { closed }: CallState): boolean {
  return shieldRun(run).attempt("stopWhen", () => {
    const { status, stopped } = run.view;
    return status !== "running" || (stopped !== undefined && (stopped.how !== "wrap-up" || closed));
  }, false);
}

interface Preparing {
  readonly step: StepInput;
  readonly theirs: Readonly<Record<string, unknown>>;
  readonly turn: TurnAnswer;
  readonly options: LoopOptions;
  readonly phaseOptions: PhaseOptions;
}

function prepareStep(run: RunPort, { step, theirs, turn, options, phaseOptions }: Preparing): object {
  const { models, hideTools = false, clock = systemClock } = phaseOptions;
  const messages = Array.isArray(theirs["messages"]) ? (theirs["messages"] as readonly unknown[]) : step.messages;
  const text = turn.stop === undefined ? turn.message : (turn.message ?? `<phasekit>\n${turn.stop.text ?? CLOSING}\n</phasekit>`);
  const placed = createNudgeAnchors(run).place(messages, { text, make: userMessage, read: textOf, isAnswer: (message) => partIn(message)["role"] === "assistant" });
  const model = theirs["model"] ?? modelForLabel(run, turn.model, models);
  const hasTools = options.tools !== undefined && Object.keys(options.tools).length > 0;
  return {
    ...theirs,
    ...(placed.length !== messages.length && { messages: placed }),
    ...(model !== undefined && { model: observeModel(run, model, clock) }),
    ...(hasTools && hideTools && turn.tools !== undefined && { activeTools: Object.keys(options.tools ?? {}).filter((tool) => isOffered(turn.tools, tool)) }),
    ...(hasTools && (turn.wrapUp || turn.stop !== undefined) && { toolChoice: "none" }),
  };
}

function userMessage(text: string): object {
  return { role: "user", content: text };
}

function textOf(message: unknown): string | undefined {
  const { role, content } = partIn(message);
  return role === "user" && typeof content === "string" ? content : undefined;
}
