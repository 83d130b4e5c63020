import {
  failureToModelEvent,
  isOffered,
  modelForLabel,
  recordAnswer,
  shieldRun,
  toObject,
} from "@phasekit/core/adapter";
import type { Invocation, ModelProvider } from "./invocation.ts";
import { partsOf } from "./items.ts";
import { isCall, responseToAnswer } from "./model-answer.ts";

interface ObservedModel {
  readonly getResponse: (request: object) => Promise<unknown>;
  readonly getStreamedResponse: (request: object) => AsyncIterable<unknown>;
}

/** Wraps a provider: its models record their calls. */
export function observeProvider(provider: ModelProvider): ModelProvider {
  return { getModel: async (name) => dispatchModel(await provider.getModel(name), name) };
}

const dispatching = new WeakMap<object, object>();

/**
 * Wraps a model to record its calls: only here an answer is visible before its tools run. Other calls of the model pass
 * through.
 */
export function dispatchModel(model: unknown, name?: string): unknown {
  if (!isModel(model)) return model;
  const found = dispatching.get(model);
  if (found !== undefined) return found;
  const wrapped = new Proxy<ObservedModel & object>(model, {
    get: (target, key) => {
      if (key === "getResponse") return (request: object) => respond(target, { request, name });
      if (key === "getStreamedResponse") return (request: object) => stream(target, { request, name });
      const member: unknown = Reflect.get(target, key, target);
      // Methods need the model itself as `this`: models have private members.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  dispatching.set(model, wrapped);
  dispatching.set(wrapped, wrapped);
  return wrapped;
}

const INVOCATION = Symbol("phasekit");

/** Returns model settings that say which invocation a request belongs to. Symbols do not reach the wire. */
export function tagSettings(invocation: Invocation, settings: unknown): object {
  return { ...toObject(settings), [INVOCATION]: invocation };
}

/** The invocation of a request, while the answer to its turn is due. Nested agents have its settings, and run later. */
function invocationFor(request: object): Invocation | undefined {
  const settings = toObject(toObject(request)["modelSettings"]) as { readonly [INVOCATION]?: Invocation };
  const invocation = settings[INVOCATION];
  return invocation?.turn === undefined ? undefined : invocation;
}

function isModel(model: unknown): model is ObservedModel & object {
  return typeof toObject(model)["getResponse"] === "function";
}

interface CallInput {
  readonly request: object;
  readonly name: string | undefined;
}

async function respond(model: ObservedModel, { request, name }: CallInput): Promise<unknown> {
  const invocation = invocationFor(request);
  if (invocation === undefined) return model.getResponse(request);
  const { clock } = invocation;
  if (invocation.halted) return cutResponse("");
  const call = await prepareCall(invocation, model, { request, name });
  const started = clock();
  try {
    const response = await call.model.getResponse(call.request);
    answered(invocation, { response, model: call.name, durationMs: clock() - started });
    return call.closing ? asEnded(response) : response;
  } catch (error) {
    failed(invocation, reasonOf(error, request), clock() - started);
    throw error;
  }
}

async function* stream(model: ObservedModel, { request, name }: CallInput): AsyncGenerator {
  const invocation = invocationFor(request);
  if (invocation === undefined) {
    yield* model.getStreamedResponse(request);
    return;
  }
  const { run, clock } = invocation;
  const { text } = shieldRun(run);
  if (invocation.halted) {
    yield { type: "response_done", response: cutResponse("") };
    return;
  }
  const call = await prepareCall(invocation, model, { request, name });
  const started = clock();
  let finish: string | undefined;
  let said = "";
  let settled = false;
  let stopped = false;
  try {
    for await (const event of call.model.getStreamedResponse(call.request)) {
      const { type, delta, event: raw, response } = toObject(event);
      if (type === "output_text_delta" && typeof delta === "string") {
        said += delta;
        stopped = text(delta).stop;
      }
      if (type === "model") {
        const { thought, ended } = readRaw(raw);
        if (thought !== "") stopped = text(thought, { stream: "reasoning" }).stop;
        finish = ended ?? finish;
      }
      if (type === "response_done") {
        settled = true;
        answered(invocation, { response, model: call.name, finish, durationMs: clock() - started });
      }
      yield type === "response_done" && call.closing ? { ...toObject(event), response: asEnded(response) } : event;
      if (stopped && !settled) {
        // A policy cut the text: the answer is what arrived so far.
        settled = true;
        const cut = cutResponse(said);
        answered(invocation, { response: cut, model: call.name, finish: "stop", durationMs: clock() - started });
        yield { type: "response_done", response: cut };
        return;
      }
    }
  } catch (error) {
    settled = true;
    failed(invocation, reasonOf(error, request), clock() - started);
    throw error;
  } finally {
    // The SDK stops reading an aborted stream.
    if (!settled) failed(invocation, reasonOf(new Error("The stream ended early."), request), clock() - started);
  }
}

/** Reads a raw event of either OpenAI API: reasoning as it comes, and why a chat completion ended. */
function readRaw(raw: unknown): { readonly thought: string; readonly ended: string | undefined } {
  const { type, delta, choices } = toObject(raw);
  const [choice] = partsOf(choices);
  const { reasoning, reasoning_content: content } = toObject(choice?.["delta"]);
  const isThought = typeof type === "string" && /^response\.reasoning\w*\.delta$/.test(type);
  const thought = isThought ? delta : (reasoning ?? content);
  const ended = choice?.["finish_reason"];
  return {
    thought: typeof thought === "string" ? thought : "",
    ended: typeof ended === "string" ? ended : undefined,
  };
}

interface PreparedCall {
  readonly model: ObservedModel;
  readonly name: string | undefined;
  readonly request: object;
  readonly closing: boolean;
}

/** Applies the wishes of the turn: another model, fewer tools, no tools. */
async function prepareCall(
  { run, turn, options, provider }: Invocation,
  model: ObservedModel,
  { request, name }: CallInput,
): Promise<PreparedCall> {
  if (turn === undefined) return { model, name, request, closing: false };
  const label = shieldRun(run).attempt("model", () => modelForLabel(run, turn.model, options.models), undefined);
  const wanted = typeof label === "string" ? await provider.getModel(label) : label;
  const { modelSettings, tools, handoffs } = toObject(request);
  const closing = turn.wrapUp;
  const hasTools = partsOf(tools).length > 0 || partsOf(handoffs).length > 0;
  const offered = options.hideTools === true && turn.tools !== undefined;
  return {
    model: isModel(wanted) ? wanted : model,
    name: typeof label === "string" ? label : name,
    request: {
      ...request,
      ...(offered && { tools: partsOf(tools).filter(({ name }) => isOffered(turn.tools, String(name))) }),
      ...(closing && hasTools && { modelSettings: { ...toObject(modelSettings), toolChoice: "none" } }),
    },
    closing,
  };
}

function answered(
  invocation: Invocation,
  {
    response,
    durationMs,
    ...hints
  }: {
    readonly response: unknown;
    readonly durationMs: number;
    readonly model?: string | undefined;
    readonly finish?: string | undefined;
  },
): void {
  const { run } = invocation;
  shieldRun(run).attempt(
    "model.answered",
    () => recordAnswer(run, responseToAnswer(response, hints), { durationMs }),
    undefined,
  );
  invocation.turn = undefined;
}

function failed({ run }: Invocation, error: unknown, durationMs: number): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "model.failed",
    () => record({ ...failureToModelEvent(error), ...(isIncomplete(error) && { code: "incomplete" }), durationMs }),
    false,
  );
}

/** True if the SDK rejected an answer of the Responses API that was cut off. It does not say why it was. */
function isIncomplete(error: unknown): boolean {
  const { name, message } = error instanceof Error ? error : { name: "", message: "" };
  return name === "ModelBehaviorError" && message.includes('"response.incomplete"');
}

/** An aborted call may throw any error. Returns the abort instead. */
function reasonOf(error: unknown, request: object): unknown {
  const { aborted } = toObject(toObject(request)["signal"]);
  return aborted === true ? Object.assign(new Error("The call was aborted."), { name: "AbortError" }) : error;
}

/** Returns a closing answer without calls: some servers ignore `toolChoice: "none"`, and the SDK would make them. */
function asEnded(response: unknown): object {
  const { output, ...rest } = toObject(response);
  const kept = partsOf(output).filter((item) => !isCall(item));
  const hasText = kept.some(({ role }) => role === "assistant");
  return { ...rest, output: hasText ? kept : [...kept, assistantItem("")] };
}

function cutResponse(text: string): object {
  const details = { inputTokensDetails: [], outputTokensDetails: [] };
  const usage = { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0, ...details };
  return { id: "cut", usage, output: [assistantItem(text)] };
}

function assistantItem(text: string): object {
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}
