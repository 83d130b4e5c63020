import type { RunPort, TurnAnswer } from "@phasekit/core";
import {
  askTurn,
  createNudgeAnchors,
  defined,
  isOffered,
  modelForLabel,
  recordConversation,
  type Reviewer,
  runFrom,
  type RunSource,
  shieldRun,
  systemClock,
  toObject,
} from "@phasekit/core/adapter";
import { toConversation } from "./conversation.ts";
import { recordGivenResults } from "./given-results.ts";
import { guardTools } from "./guard-tools.ts";
import { observeModel } from "./observe-model.ts";
import { recordCall } from "./phase-telemetry.ts";
import { watchStep } from "./watch-step.ts";

/** The members we use of a steering of AI SDK 7. */
export interface Steering {
  readonly steer: (message: string) => Promise<unknown>;
}

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions {
  /** Models by phase label. A label without an entry keeps the model of the call. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Answers the review questions of policies. The step waits for the answer. */
  readonly reviewer?: Reviewer;
  /** `experimental_createSteering` of AI SDK 7: lets a run veto a finish. Without it, use `runUntilVerified`. */
  readonly createSteering?: () => Steering;
  /**
   * Shows the model only the tools of the phase, which invalidates the provider's prompt cache. Other calls are refused
   * either way. @default false
   */
  readonly hideTools?: boolean;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** A call, passed to the function that returns its run. */
export interface CallContext {
  readonly options: object;
}

/** The options we read. All others pass through. */
interface LoopOptions {
  readonly model?: unknown;
  readonly tools?: object;
  readonly stopWhen?: unknown;
  readonly prepareStep?: PrepareStep;
  /** Only in the settings of an agent: returns the options of one call. */
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

/** State of one call. */
interface CallState {
  /** The final options. */
  options: LoopOptions;
  /** True after the closing turn. */
  closed: boolean;
  /** True if the answer of this step is recorded. */
  answered: boolean;
}

/**
 * Returns the options of one call, or the settings of an agent, with a run in them.
 *
 * @throws RUN_ENDED if the run has ended.
 */
export function wrapOptions<TOptions extends object>(
  source: RunSource<CallContext>,
  options: TOptions,
  phaseOptions: PhaseOptions,
): TOptions {
  const run = runFrom(source, { options });
  const given: LoopOptions = options;
  const { clock = systemClock } = phaseOptions;
  const steering = given.experimental_steering ?? phaseOptions.createSteering?.();
  const state: CallState = { options, closed: false, answered: true };
  const onStep: StepCallback = async (step) => {
    // Versions 5 and 6 with a model by name show the answer here first, after its tools ran.
    if (!state.answered) recordCall(run, step);
    watchStep(run, step, { steering, closed: state.closed });
    await (given.onStepEnd ?? given.onStepFinish)?.(step);
  };
  const onCallEnd: StepCallback = async (event) => {
    if (!state.answered) recordCall(run, event);
    state.answered = true;
    await given.onLanguageModelCallEnd?.(event);
  };
  const stopsRun = (): boolean => shieldRun(run).isOver(state.closed);
  const watched = new WeakSet<PrepareStep>();
  /** Wraps the members that need the run, unless they are wrapped already. */
  const watch = ({ model, tools, stopWhen, prepareStep }: LoopOptions): LoopOptions => ({
    ...(model !== undefined && { model: observeModel(run, model, clock) }),
    ...(tools !== undefined && { tools: guardTools(run, tools, clock) }),
    // Without `stopWhen` each function has its own default, which our condition would replace.
    ...(stopWhen !== undefined && { stopWhen: [...new Set([stopWhen, stopsRun].flat())] }),
    prepareStep: prepareStep !== undefined && watched.has(prepareStep) ? prepareStep : watchSteps(prepareStep),
  });
  const watchSteps = (theirs: PrepareStep | undefined): PrepareStep => {
    const prepare: PrepareStep = async (step) => {
      recordGivenResults(run, step.messages);
      const wanted = toObject(await theirs?.(step));
      const sent = Array.isArray(wanted["messages"]) ? (wanted["messages"] as readonly unknown[]) : step.messages;
      shieldRun(run).attempt("conversation", () => recordConversation(run, toConversation(sent)), undefined);
      const turn = await askTurn(run, { reviewer: phaseOptions.reviewer });
      state.closed ||= turn.wrapUp;
      const prepared = shieldRun(run).attempt(
        "prepareStep",
        () => prepareStep(run, { step, theirs: wanted, turn, options: state.options, phaseOptions }),
        wanted,
      );
      state.answered = typeof (toObject(prepared)["model"] ?? state.options.model) !== "string";
      return prepared;
    };
    watched.add(prepare);
    return prepare;
  };
  const { prepareCall } = given;
  return {
    ...options,
    ...watch(given),
    ...defined({ experimental_steering: steering }),
    ...(given.onStepEnd === undefined ? { onStepFinish: onStep } : { onStepEnd: onStep }),
    ...(typeof given.model === "string" && { onLanguageModelCallEnd: onCallEnd }),
    ...(prepareCall !== undefined && {
      prepareCall: async (call: object) => {
        // The result replaces all options, including the settings.
        const prepared = (await prepareCall(call)) ?? call;
        state.options = toObject(prepared);
        return { ...state.options, ...watch(state.options) };
      },
    }),
  };
}

interface StepContext {
  readonly step: StepInput;
  readonly theirs: Readonly<Record<string, unknown>>;
  readonly turn: TurnAnswer;
  readonly options: LoopOptions;
  readonly phaseOptions: PhaseOptions;
}

function prepareStep(run: RunPort, { step, theirs, turn, options, phaseOptions }: StepContext): object {
  const { models, hideTools = false, clock = systemClock } = phaseOptions;
  const messages = Array.isArray(theirs["messages"]) ? (theirs["messages"] as readonly unknown[]) : step.messages;
  const placed = createNudgeAnchors(run).place(messages, {
    text: turn.message,
    make: userMessage,
    read: textOf,
    isAnswer: (message) => toObject(message)["role"] === "assistant",
  });
  const model = theirs["model"] ?? modelForLabel(run, turn.model, models);
  const hasTools = options.tools !== undefined && Object.keys(options.tools).length > 0;
  return {
    ...theirs,
    ...(placed.length !== messages.length && { messages: placed }),
    ...(model !== undefined && { model: observeModel(run, model, clock) }),
    ...(hasTools &&
      hideTools &&
      turn.tools !== undefined && {
        activeTools: Object.keys(options.tools ?? {}).filter((tool) => isOffered(turn.tools, tool)),
      }),
    ...(hasTools && turn.wrapUp && { toolChoice: "none" }),
  };
}

function userMessage(text: string): object {
  return { role: "user", content: text };
}

function textOf(message: unknown): string | undefined {
  const { role, content } = toObject(message);
  return role === "user" && typeof content === "string" ? content : undefined;
}
