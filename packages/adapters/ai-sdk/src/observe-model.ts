import type { RunPort } from "@phasekit/core";
import { failureToModelEvent, quotaToEvents, recordAnswer, shieldRun, toObject } from "@phasekit/core/adapter";
import { asEnded, isClosing } from "./closing-answer.ts";
import { partsToAnswer } from "./model-parts.ts";
import { type AbortWatch, observeStream, type ReadableParts, whyAborted } from "./observe-stream.ts";

interface ObservedModel {
  readonly modelId?: unknown;
  readonly doGenerate: (options: unknown) => PromiseLike<unknown>;
  readonly doStream: (options: unknown) => PromiseLike<{ readonly stream: ReadableParts }>;
}

const observed = new WeakMap<RunPort, WeakMap<object, object>>();

/**
 * Wraps a model to record its calls: here an answer is visible before its tools run, in every major. Returns a model
 * given by name unchanged.
 */
export function observeModel<TModel>(run: RunPort, model: TModel, clock: () => number): TModel {
  if (!isModel(model)) return model;
  const known = observed.get(run) ?? new WeakMap<object, object>();
  observed.set(run, known);
  const found = known.get(model);
  if (found !== undefined) return found as TModel;
  const wrapped = new Proxy<ObservedModel & object>(model, {
    get: (target, key) => {
      if (key === "doGenerate") return (options: unknown) => generate(run, target, { options, clock });
      if (key === "doStream") return (options: unknown) => stream(run, target, { options, clock });
      const member: unknown = Reflect.get(target, key, target);
      // Methods need the model itself as `this`: models have private members.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  known.set(model, wrapped);
  known.set(wrapped, wrapped);
  return wrapped as TModel;
}

function isModel(model: unknown): model is ObservedModel & object {
  const { doGenerate, doStream } = toObject(model);
  return typeof doGenerate === "function" || typeof doStream === "function";
}

interface CallInput {
  readonly options: unknown;
  readonly clock: () => number;
}

async function generate(run: RunPort, model: ObservedModel, { options, clock }: CallInput): Promise<unknown> {
  const { attempt } = shieldRun(run);
  const started = clock();
  try {
    const result = await model.doGenerate(options);
    const { content, finishReason, usage, response } = toObject(result);
    attempt(
      "doGenerate",
      () => {
        recordQuota(run, response);
        const answer = partsToAnswer({
          content: Array.isArray(content) ? content : [],
          finishReason,
          usage,
          model: toObject(response)["modelId"] ?? model.modelId,
        });
        recordAnswer(run, answer, { durationMs: clock() - started });
      },
      undefined,
    );
    return isClosing(run, options) ? asEnded(toObject(result)) : result;
  } catch (error) {
    failed(run, reasonOf(error, options), clock() - started);
    throw error;
  }
}

async function stream(run: RunPort, model: ObservedModel, { options, clock }: CallInput): Promise<unknown> {
  const { attempt } = shieldRun(run);
  const started = clock();
  try {
    const result = await model.doStream(options);
    attempt("doStream", () => recordQuota(run, toObject(result)["response"]), undefined);
    const watched = observeStream(run, result.stream, {
      model: model.modelId,
      closing: isClosing(run, options),
      signal: signalOf(options),
      elapsed: () => clock() - started,
      failed: (error) => failed(run, error, clock() - started),
    });
    return { ...result, stream: watched };
  } catch (error) {
    failed(run, reasonOf(error, options), clock() - started);
    throw error;
  }
}

function signalOf(options: unknown): AbortWatch | undefined {
  return toObject(options)["abortSignal"] as AbortWatch | undefined;
}

/** An aborted call may throw any error. Returns the abort instead. */
function reasonOf(error: unknown, options: unknown): unknown {
  const signal = signalOf(options);
  return signal?.aborted === true ? whyAborted(signal) : error;
}

function failed(run: RunPort, error: unknown, durationMs: number): void {
  const { attempt, record } = shieldRun(run);
  attempt("model.failed", () => record({ ...failureToModelEvent(error), durationMs }), false);
}

function recordQuota(run: RunPort, response: unknown): void {
  const headers = toObject(toObject(response)["headers"]);
  const headerOf = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
  for (const event of quotaToEvents(headerOf, run.view.now)) shieldRun(run).record(event);
}
