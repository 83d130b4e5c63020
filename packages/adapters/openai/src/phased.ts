import type { RunPort, TurnAnswer } from "@phasekit/core";
import { quotaFacts, runFrom, type RunSource, runStopped, shieldRun, systemClock } from "@phasekit/core/adapter";
import { editBody, type TurnOptions } from "./apply-turn.ts";
import { recordFailure, recordResponse } from "./record-response.ts";
import { recordToolResults } from "./tool-results.ts";
import { watchStream } from "./watch-stream.ts";
import { objectIn, type WireObject } from "./wire-json.ts";

export interface PhasedOptions extends TurnOptions {
  /** Asks for the usage of streamed chat completions, and keeps the extra chunk to itself. @default true */
  readonly streamUsage?: boolean;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

/** What is known about a request when a run is looked for. */
export interface RequestContext {
  readonly api: "chat" | "responses";
  readonly body: WireObject;
}

type Create = (body: object, ...rest: readonly unknown[]) => unknown;

/** The part of the library's promises that is used. `_thenUnwrap` is how its own helpers keep them what they are. */
interface ApiPromise extends Promise<unknown> {
  readonly asResponse?: () => Promise<{ readonly headers?: { readonly get: (name: string) => string | null } }>;
  readonly _thenUnwrap?: (transform: (data: unknown) => unknown) => ApiPromise;
}

const CLOSING = "This is the last turn. Use no tools; say what is done, what is not, and what should happen next.";
const closed = new WeakSet<RunPort>();

/**
 * A client that does everything yours does, and tells a run about it: chat completions and Responses, streamed or not,
 * also through `parse`, `stream`, `runTools` and clones made with `withOptions`. Your own client stays as it is. It
 * sees tools only in requests; `executeTools` is what refuses a call.
 *
 * @example
 * const client = phased(new OpenAI(), run);
 * @throws RUN_ENDED from a request when the run has ended; RUN_STOPPED when it was stopped and had its closing turn.
 */
export function phased<TClient extends object>(client: TClient, source: RunSource<RequestContext>, options: PhasedOptions = {}): TClient {
  const { withOptions } = client as { readonly withOptions?: (options: object) => TClient };
  const copy = typeof withOptions === "function" ? withOptions.call(client, {}) : copyOf(client);
  const { chat, responses } = copy as { readonly chat?: { readonly completions?: object }; readonly responses?: object };
  wrapCreate(chat?.completions, { api: "chat", source, options });
  wrapCreate(responses, { api: "responses", source, options });
  if (typeof withOptions === "function") {
    const clone = (more: object): TClient => phased(withOptions.call(client, more), source, options);
    Object.defineProperty(copy, "withOptions", { value: clone, configurable: true });
  }
  return copy;
}

/** A stand-in for a client that cannot copy itself. */
function copyOf<TClient extends object>(client: TClient): TClient {
  const over = (object: object | undefined): object | undefined => (object === undefined ? undefined : (Object.create(object) as object));
  const { chat, responses } = client as { readonly chat?: { readonly completions?: object }; readonly responses?: object };
  const inner = over(chat);
  if (inner !== undefined) Object.defineProperty(inner, "completions", { value: over(chat?.completions) });
  return Object.create(client, { chat: { value: inner }, responses: { value: over(responses) } }) as TClient;
}

interface Wrapping {
  readonly api: RequestContext["api"];
  readonly source: RunSource<RequestContext>;
  readonly options: PhasedOptions;
}

function wrapCreate(resource: object | undefined, { api, source, options }: Wrapping): void {
  const { create } = (resource ?? {}) as { readonly create?: Create };
  if (resource === undefined || typeof create !== "function") return;
  const wrapped: Create = (body, ...rest) => {
    const run = runFrom(source, { api, body: objectIn(body) });
    recordToolResults(run, body);
    const request = prepare(run, { body, api, options });
    const promise = create.call(resource, request.body, ...rest) as ApiPromise;
    return observe(run, promise, { ...request, clock: options.clock ?? systemClock });
  };
  Object.defineProperty(resource, "create", { value: wrapped, configurable: true, writable: true });
}

interface Prepared {
  readonly body: object;
  readonly streams: boolean;
  readonly hideUsage: boolean;
}

function prepare(run: RunPort, { body, api, options }: { readonly body: object; readonly api: RequestContext["api"]; readonly options: PhasedOptions }): Prepared {
  const { beforeTurn, attempt } = shieldRun(run);
  const turn = closingTurn(run, beforeTurn());
  const edited: WireObject = objectIn(attempt("phased", () => editBody(run, { body, turn, options }), body));
  const streams = edited["stream"] === true;
  const asked = objectIn(edited["stream_options"])["include_usage"];
  const hideUsage = streams && api === "chat" && asked === undefined && (options.streamUsage ?? true);
  return { streams, hideUsage, body: hideUsage ? { ...edited, stream_options: { ...objectIn(edited["stream_options"]), include_usage: true } } : edited };
}

/** A client cannot end the loop it serves: a stop becomes one closing turn without tools, and after it an error. */
function closingTurn(run: RunPort, turn: TurnAnswer): TurnAnswer {
  const { stop } = turn;
  if (stop !== undefined && (closed.has(run) || stop.how === "abort")) throw runStopped(stop.reason);
  if (stop !== undefined || turn.wrapUp) closed.add(run);
  return stop === undefined ? turn : { ...turn, wrapUp: true, message: turn.message ?? `<phasekit>\n${stop.text ?? CLOSING}\n</phasekit>` };
}

function observe(run: RunPort, promise: ApiPromise, { streams, hideUsage, clock }: Prepared & { readonly clock: () => number }): unknown {
  const { record, attempt } = shieldRun(run);
  const started = clock();
  const elapsed = (): number => clock() - started;
  const see = (data: unknown): unknown => {
    if (typeof data !== "object" || data === null) {
      record({ type: "model.failed", inBody: true, message: "The answer is no JSON object.", durationMs: elapsed() });
      return data;
    }
    if (streams) return attempt("watchStream", () => watchStream(run, data as AsyncIterable<unknown>, { hideUsage, elapsed }), data as AsyncIterable<unknown>);
    return recordResponse(run, data, { durationMs: elapsed() });
  };
  // The headers come before the body; asking for them leaves the body to the caller.
  void promise.asResponse?.().then(
    ({ headers }) => attempt("quota", () => { for (const fact of quotaFacts((name) => headers?.get(name), run.view.now)) record(fact); }, undefined),
    (error: unknown) => recordFailure(run, error, { durationMs: elapsed() }),
  );
  return promise._thenUnwrap === undefined ? promise.then(see) : promise._thenUnwrap(see);
}
