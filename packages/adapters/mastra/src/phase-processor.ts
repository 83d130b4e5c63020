import {
  askTurn,
  createNudgeAnchors,
  defined,
  isOffered,
  knownUsage,
  type LooseObject,
  type ModelAnswer,
  modelForLabel,
  recordAnswer,
  recordConversation,
  shieldRun,
  toObject,
} from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";
import { isAnswer, readUserMessage, toConversation, userMessage } from "./prompt.ts";

/** The members we use of a processor. */
export interface PhaseProcessor {
  readonly id: string;
  readonly processInputStep: (step: unknown) => Promise<object>;
  readonly processLLMRequest: (request: unknown) => object | undefined;
  readonly processOutputStream: (chunk: unknown) => Promise<unknown>;
  readonly processOutputStep: (step: unknown) => unknown;
}

/** Creates the processor of one call: it starts turns, edits requests, and records answers before their tools run. */
export function createProcessor(invocation: Invocation): PhaseProcessor {
  const { run } = invocation;
  const { attempt, text } = shieldRun(run);
  return {
    id: "phasekit",
    processInputStep: async (step) => {
      const turn = await takeTurn(invocation);
      const { rotateResponseMessageId: rotate } = toObject(step);
      // The answer to an objection is a message of its own.
      if (invocation.objection !== undefined && typeof rotate === "function") (rotate as () => string)();
      return attempt("processInputStep", () => wishesOf(invocation, turn, toObject(step)), {});
    },
    processLLMRequest: (request) => attempt("processLLMRequest", () => editPrompt(invocation, request), undefined),
    processOutputStream: (chunk) => {
      const { part } = toObject(chunk);
      const { type, payload } = toObject(part);
      const { text: delta } = toObject(payload);
      if (typeof delta === "string" && type === "text-delta") text(delta);
      if (typeof delta === "string" && type === "reasoning-delta") {
        invocation.reasoning += delta;
        text(delta, { stream: "reasoning" });
      }
      return Promise.resolve(part);
    },
    processOutputStep: (step) => {
      attempt("processOutputStep", () => recordStep(invocation, toObject(step)), undefined);
      return toObject(step)["messages"];
    },
  };
}

async function takeTurn(invocation: Invocation) {
  const { run, options } = invocation;
  const turn = await askTurn(run, { reviewer: options.reviewer });
  invocation.turn = turn;
  invocation.answered = false;
  invocation.reasoning = "";
  invocation.closed ||= turn.wrapUp;
  return turn;
}

/** The wishes of a turn for its step: another model, fewer tools, no tools. */
function wishesOf({ run, options }: Invocation, turn: NonNullable<Invocation["turn"]>, step: LooseObject): object {
  const model = modelForLabel(run, turn.model, options.models);
  const names = Object.keys(toObject(step["tools"]));
  return {
    ...defined({ model }),
    ...(options.hideTools === true &&
      turn.tools !== undefined && { activeTools: names.filter((tool) => isOffered(turn.tools, tool)) }),
    ...(names.length > 0 && turn.wrapUp && { toolChoice: "none" }),
  };
}

/** Records how the conversation changed, and puts what the run says to the agent at the end, where it stays. */
function editPrompt(invocation: Invocation, request: unknown): object | undefined {
  const { run, turn, clock } = invocation;
  const { prompt, model } = toObject(request);
  const { modelId } = toObject(model);
  invocation.model = typeof modelId === "string" ? modelId : undefined;
  invocation.asked = clock();
  if (!Array.isArray(prompt)) return undefined;
  const messages: readonly unknown[] = prompt;
  recordConversation(run, toConversation(messages));
  const anchors = createNudgeAnchors(run);
  const place = (list: readonly unknown[], text: string | undefined) =>
    anchors.place(list, { text, make: userMessage, read: readUserMessage, isAnswer });
  const { objection } = invocation;
  invocation.objection = undefined;
  const placed = place(place(messages, objection), turn?.message);
  return placed.length === messages.length ? undefined : { prompt: placed };
}

function recordStep(invocation: Invocation, step: LooseObject): void {
  const { run, clock, asked, reasoning, model } = invocation;
  if (invocation.turn === undefined) return;
  invocation.turn = undefined;
  invocation.answered = true;
  const { text, toolCalls, finishReason, usage } = step;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = toObject(usage);
  const known = knownUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens });
  const calls = Array.isArray(toolCalls) ? toolCalls.map(toObject) : [];
  const answer: ModelAnswer = {
    ...defined({ model, usage: known }),
    ...(typeof finishReason === "string" && { finishReason }),
    ...(reasoning !== "" && { reasoning }),
    text: typeof text === "string" ? text : "",
    calls: calls.map(({ toolCallId, toolName, args }) => ({
      call: String(toolCallId),
      tool: String(toolName),
      input: args,
    })),
  };
  recordAnswer(run, answer, { durationMs: clock() - asked });
}
