import type { RunPort } from "@phasekit/core";
import {
  assertRunFirst,
  closingTurn,
  type LooseObject,
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
import { watchStream } from "./watch-stream.ts";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions extends TurnOptions {
  /** Requests usage for streamed chat completions and hides the extra chunk from the caller. @default true */
  readonly streamUsage?: boolean;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** A request, passed to the function that returns its run. */
export interface RequestContext {
  readonly api: "chat" | "responses";
  readonly body: LooseObject;
}

type Create = (body: object, ...rest: readonly unknown[]) => unknown;

/**
 * Returns a copy of an OpenAI client that records its requests in a run and applies the run's nudges: chat completions
 * and Responses, streamed or not, also through `parse`, `stream`, `runTools` and `withOptions`. Your client does not
 * change. A client sees tools only in requests: use `executeTools` to let the run refuse calls.
 *
 * @example
 * const client = withPhases(run, new OpenAI());
 * @throws RUN_ENDED from a request if the run has ended; RUN_STOPPED if it was stopped and had its closing turn.
 */
export function withPhases<TClient extends object>(
  source: RunSource<RequestContext>,
  client: TClient,
  options: PhaseOptions = {},
): TClient {
  assertRunFirst(source, client);
  const { withOptions } = client as { readonly withOptions?: (options: object) => TClient };
  const copy = typeof withOptions === "function" ? withOptions.call(client, {}) : copyOf(client);
  const { chat, responses } = copy as {
    readonly chat?: { readonly completions?: object };
    readonly responses?: object;
  };
  wrapCreate(chat?.completions, { api: "chat", source, options });
  wrapCreate(responses, { api: "responses", source, options });
  if (typeof withOptions === "function") {
    const clone = (more: object): TClient => withPhases(source, withOptions.call(client, more), options);
    Object.defineProperty(copy, "withOptions", { value: clone, configurable: true });
  }
  return copy;
}

/** A copy of a client without `withOptions`: it inherits everything but the resources we wrap. */
function copyOf<TClient extends object>(client: TClient): TClient {
  const over = (object: object | undefined): object | undefined =>
    object === undefined ? undefined : (Object.create(object) as object);
  const { chat, responses } = client as {
    readonly chat?: { readonly completions?: object };
    readonly responses?: object;
  };
  const inner = over(chat);
  if (inner !== undefined) Object.defineProperty(inner, "completions", { value: over(chat?.completions) });
  return Object.create(client, { chat: { value: inner }, responses: { value: over(responses) } }) as TClient;
}

interface WrapContext {
  readonly api: RequestContext["api"];
  readonly source: RunSource<RequestContext>;
  readonly options: PhaseOptions;
}

function wrapCreate(resource: object | undefined, { api, source, options }: WrapContext): void {
  const { create } = (resource ?? {}) as { readonly create?: Create };
  if (resource === undefined || typeof create !== "function") return;
  const wrapped: Create = (body, ...rest) => {
    const run = runFrom(source, { api, body: toObject(body) });
    recordToolResults(run, body);
    const request = prepare(run, { body, api, options });
    const { streams, hideUsage } = request;
    return watchRequest(run, create.call(resource, request.body, ...rest) as Promise<unknown>, {
      clock: options.clock ?? systemClock,
      failed: (error, elapsed) => recordFailure(run, error, { durationMs: elapsed() }),
      answered: (data, elapsed) => {
        if (!streams) return recordResponse(run, data, { durationMs: elapsed() });
        const stream = data as AsyncIterable<unknown>;
        return shieldRun(run).attempt("watchStream", () => watchStream(run, stream, { hideUsage, elapsed }), stream);
      },
    });
  };
  Object.defineProperty(resource, "create", { value: wrapped, configurable: true, writable: true });
}

interface RequestPlan {
  readonly body: object;
  readonly streams: boolean;
  readonly hideUsage: boolean;
}

function prepare(
  run: RunPort,
  {
    body,
    api,
    options,
  }: { readonly body: object; readonly api: RequestContext["api"]; readonly options: PhaseOptions },
): RequestPlan {
  const { beforeTurn, attempt } = shieldRun(run);
  attempt("withPhases", () => recordBody(run, body), undefined);
  const turn = closingTurn(run, beforeTurn());
  const edited: LooseObject = toObject(attempt("withPhases", () => editBody(run, { body, turn, options }), body));
  const streams = edited["stream"] === true;
  const asked = toObject(edited["stream_options"])["include_usage"];
  const hideUsage = streams && api === "chat" && asked === undefined && (options.streamUsage ?? true);
  return {
    streams,
    hideUsage,
    body: hideUsage
      ? { ...edited, stream_options: { ...toObject(edited["stream_options"]), include_usage: true } }
      : edited,
  };
}
