import type { RunPort } from "@phasekit/core";
import {
  assertRunFirst,
  closingTurn,
  endOwnRun,
  type LooseObject,
  type Reviewer,
  runFrom,
  type RunSource,
  shieldRun,
  systemClock,
  toObject,
  watchRequest,
} from "@phasekit/core/adapter";
import { editBody, type TurnOptions } from "./apply-turn.ts";
import { recordBody } from "./conversation.ts";
import { recordFailure, recordResponse } from "./record-response.ts";
import { recordToolResults } from "./tool-results.ts";
import { guardTools, type ToolRunner, watchRunner } from "./tool-runner.ts";
import { watchStream } from "./watch-stream.ts";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions extends TurnOptions {
  /** Answers the reviews of a tool runner's turns. A loop of your own asks with `answerReview`. */
  readonly reviewer?: Reviewer;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** A request or a tool runner, passed to the function that returns its run. */
export interface RequestContext {
  readonly api: "messages" | "beta.messages" | "toolRunner";
  readonly body: LooseObject;
}

type Method = (body: object, ...rest: readonly unknown[]) => unknown;

/** The parts of a client that we wrap. */
interface Resources {
  readonly messages?: object;
  readonly beta?: { readonly messages?: object };
  readonly withOptions?: (options: object) => object;
}

/**
 * Returns a copy of an Anthropic client that records its requests in a run and applies the run's nudges:
 * `messages.create` and `beta.messages.create`, streamed or not, also through `stream`, `parse` and `withOptions`. A
 * tool runner of it also refuses tools and sends an unproven finish back. Your client does not change.
 *
 * @example
 * const client = withPhases(run, new Anthropic());
 * @throws RUN_ENDED from a request if the run has ended; RUN_STOPPED if it was stopped and had its closing turn.
 */
export function withPhases<TClient extends object>(
  source: RunSource<RequestContext>,
  client: TClient,
  options: PhaseOptions = {},
): TClient {
  assertRunFirst(source, client);
  const copy = copyOf(client);
  const { messages, beta } = copy as Resources;
  wrapCreate(messages, { api: "messages", source, options });
  wrapCreate(beta?.messages, { api: "beta.messages", source, options });
  wrapToolRunner(beta?.messages, { client, source, options });
  const { withOptions } = client as Resources;
  if (typeof withOptions === "function") {
    const clone = (more: object): object => withPhases(source, withOptions.call(client, more), options);
    Object.defineProperty(copy, "withOptions", { value: clone, configurable: true });
  }
  return copy;
}

/** A copy of a client with resources of its own. A client without `withOptions` is inherited. */
function copyOf<TClient extends object>(client: TClient): TClient {
  const { withOptions, messages, beta } = client as Resources;
  if (typeof withOptions === "function") return withOptions.call(client, {}) as TClient;
  const over = (object: object | undefined): object | undefined =>
    object === undefined ? undefined : (Object.create(object) as object);
  const inner = over(beta);
  if (inner !== undefined) Object.defineProperty(inner, "messages", { value: over(beta?.messages) });
  return Object.create(client, { messages: { value: over(messages) }, beta: { value: inner } }) as TClient;
}

interface WrapContext {
  readonly api: RequestContext["api"];
  readonly source: RunSource<RequestContext>;
  readonly options: PhaseOptions;
  /** The whole history of the runner that this client is for. It records streamed answers, read past `create`. */
  readonly history?: () => unknown;
}

function wrapCreate(resource: object | undefined, { api, source, options, history }: WrapContext): void {
  wrapMethod(resource, "create", (create, body, ...rest) => {
    const run = runFrom(source, { api, body: toObject(body) });
    const { compaction, stream, messages } = toObject(body);
    recordToolResults(run, messages);
    // A request for a summary is not a turn of the agent.
    const conversation = (): object => (history === undefined ? body : { messages: history() });
    const request =
      compaction !== undefined && compaction !== null ? body : prepare(run, { body, conversation, options });
    const promise = create(request, ...rest) as Promise<unknown>;
    const clock = options.clock ?? systemClock;
    // Of a runner's stream, only the quota: its history has the answer.
    if (stream === true && history !== undefined) return watchRequest(run, promise, { clock, failed: () => undefined });
    return watchRequest(run, promise, {
      clock,
      failed: (error, elapsed) => recordFailure(run, error, { durationMs: elapsed() }),
      answered: (data, elapsed) => {
        if (stream !== true) return recordResponse(run, data, { durationMs: elapsed() });
        const chunks = data as AsyncIterable<unknown>;
        return shieldRun(run).attempt("watchStream", () => watchStream(run, chunks, { elapsed }), chunks);
      },
    });
  });
}

interface RequestPlan {
  readonly body: object;
  /** The messages of the conversation, where the server keeps a part of them. */
  readonly conversation: () => object;
  readonly options: PhaseOptions;
}

function prepare(run: RunPort, { body, conversation, options }: RequestPlan): object {
  const { beforeTurn, attempt } = shieldRun(run);
  attempt("withPhases", () => recordBody(run, conversation()), undefined);
  const turn = closingTurn(run, beforeTurn());
  return attempt("withPhases", () => editBody(run, { body, turn, options }), body);
}

/** A runner is one invocation, whatever the number of its requests: it gets a client of its own, with one run. */
function wrapToolRunner(
  resource: object | undefined,
  { client, source, options }: Pick<WrapContext, "source" | "options"> & { readonly client: object },
): void {
  wrapMethod(resource, "toolRunner", (_original, body, ...rest) => {
    const run = runFrom(source, { api: "toolRunner", body: toObject(body) });
    const { beta } = copyOf(client) as Resources;
    const history = (): unknown => runner.params.messages;
    wrapCreate(beta?.messages, { api: "beta.messages", source: run, options, history });
    const { toolRunner } = (beta?.messages ?? {}) as { readonly toolRunner?: Method };
    const begun = new Set<string>();
    const guarded = shieldRun(run).attempt("guardTools", () => guardTools(run, body, { begun, ...options }), body);
    const runner: ToolRunner = toolRunner?.call(beta?.messages, guarded, ...rest) as ToolRunner;
    const end = (error: unknown): void => endOwnRun(source, run, error === undefined ? {} : { error });
    return shieldRun(run).attempt("watchRunner", () => watchRunner(run, runner, { begun, ...options, end }), runner);
  });
}

/** Puts a function around a method of an object, if it has the method. */
function wrapMethod(
  resource: object | undefined,
  name: string,
  wrapper: (original: Method, body: object, ...rest: readonly unknown[]) => unknown,
): void {
  const method: unknown = (resource as LooseObject | undefined)?.[name];
  if (resource === undefined || typeof method !== "function") return;
  const original = method.bind(resource) as Method;
  const value: Method = (body, ...rest) => wrapper(original, body, ...rest);
  Object.defineProperty(resource, name, { value, configurable: true, writable: true });
}
