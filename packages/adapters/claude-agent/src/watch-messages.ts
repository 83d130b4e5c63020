import {
  defined,
  failureToModelEvent,
  type LooseObject,
  nameIn,
  numberIn,
  shieldRun,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { defineEvent, type EventDefinition, type RunPort } from "@phasekit/core";
import { objectsIn } from "./objects-in.ts";
import type { AgentSession } from "./agent-session.ts";
import { resultToReason } from "./result-reason.ts";
import type { Thread } from "./sub-agents.ts";

/** The result of a query: its cost so far in US dollars, as Claude Code estimates it, and why it is over. */
export const queryFinished: EventDefinition<{ readonly costUsd: number; readonly terminalReason?: string }> =
  /* @__PURE__ */ defineEvent("query.finished");

/** A query of the SDK, as far as we use it. */
export interface WatchedQuery extends AsyncGenerator<unknown, void> {
  readonly setModel?: (model?: string) => Promise<void>;
  readonly interrupt?: () => Promise<unknown>;
}

interface WatchOptions {
  /** Leave partial messages out of what the caller gets. */
  readonly hidePartial: boolean;
  /** True if the caller has aborted the query. The SDK's error does not say so. */
  readonly isAborted: () => boolean;
  /** Ends a run that belongs to the query, if nothing has ended it. */
  readonly endOwn: (error: unknown) => void;
}

/**
 * Records the messages of a query as they arrive, however slowly the caller reads them, and says why the run ended when
 * the query is over. A plain generator is read no faster than its caller reads, because it cannot be ended while it
 * waits for a message. Returns the same query.
 */
export function watchMessages<TQuery extends WatchedQuery>(
  session: AgentSession,
  query: TQuery,
  options: WatchOptions,
): TQuery {
  const { messages, end, giveBack } = readMessages(session, query, options);
  session.live = query;
  Object.defineProperties(query, {
    next: { value: () => messages.next(), configurable: true },
    return: {
      configurable: true,
      value: async () => {
        // A generator that was never read has nothing to clean up with.
        end();
        await giveBack();
        return messages.return();
      },
    },
    throw: { value: (error: unknown) => messages.throw(error), configurable: true },
    [Symbol.asyncIterator]: { value: () => messages, configurable: true },
  });
  return query;
}

/** The messages of a query for its caller, recorded as they arrive. */
interface ReadMessages {
  readonly messages: AsyncGenerator<unknown, void>;
  readonly end: () => void;
  readonly giveBack: () => Promise<unknown>;
}

function readMessages(
  session: AgentSession,
  query: WatchedQuery,
  { hidePartial, isAborted, endOwn }: WatchOptions,
): ReadMessages {
  // The methods themselves: a generator is its own iterator, and its methods are replaced below.
  const iterator = query[Symbol.asyncIterator]();
  const pull = iterator.next.bind(iterator);
  const giveBack = query.return.bind(query);
  const waiting: unknown[] = [];
  let wake = (): void => undefined;
  let done = false;
  let failure: { readonly error: unknown } | undefined;
  let result: LooseObject | undefined;

  function end(): void {
    const error = failure?.error;
    endQuery(session, { result, error, aborted: isAborted() || failureToModelEvent(error).code === "aborted" });
    endOwn(error);
  }

  /** Records a message and keeps it for the caller. */
  function take(value: unknown): void {
    const message = toObject(value);
    if (message["type"] === "result") result = message;
    shieldRun(session.run).attempt("message", () => recordMessage(session, message), undefined);
    if (!(hidePartial && isPartial(message))) waiting.push(value);
  }

  /** Records messages as soon as they are there, before the hooks of the calls they make. */
  async function readAhead(): Promise<void> {
    try {
      for (let next = await pull(); next.done !== true; next = await pull()) {
        take(next.value);
        wake();
      }
    } catch (error) {
      failure = { error };
    }
    done = true;
    end();
    wake();
  }

  async function readOne(): Promise<void> {
    try {
      const next = await pull();
      if (next.done === true) done = true;
      else take(next.value);
    } catch (error) {
      failure = { error };
      done = true;
    }
  }

  const waitForMore = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  async function* iterate(more: () => Promise<void>): AsyncGenerator<unknown, void> {
    try {
      while (!done || waiting.length > 0) {
        if (waiting.length > 0) yield waiting.shift();
        else await more();
      }
      if (failure !== undefined) throw failure.error;
    } finally {
      end();
      if (!done) await giveBack();
    }
  }

  const isPlain = isPlainGenerator(query);
  const messages = iterate(isPlain ? readOne : waitForMore);
  if (!isPlain) void readAhead();
  return { messages, end, giveBack };
}

/** True for what an `async function*` returns, such as a wrapper around the SDK's `query`. */
function isPlainGenerator(query: object): boolean {
  return Object.prototype.toString.call(query) === "[object AsyncGenerator]";
}

function isPartial({ type, subtype, status }: LooseObject): boolean {
  return type === "stream_event" || (type === "system" && subtype === "status" && status === "requesting");
}

function recordMessage(session: AgentSession, message: LooseObject): void {
  switch (message["type"]) {
    case "assistant":
      return recordAssistant(session, message);
    case "stream_event":
      return recordEvent(session, message);
    case "user":
      return showResults(session, message);
    case "result":
      return recordResult(session, message);
    case "system":
      return recordSystem(session, message);
    default:
      return undefined;
  }
}

/** The thread of a message; `undefined` for a sub-agent that is over. */
function threadOf(
  { main, children }: AgentSession,
  { parent_tool_use_id: call, agent_id: id }: LooseObject,
): Thread | undefined {
  if (nameIn(call) === undefined) return main;
  return nameIn(id) === undefined || children.isOver(textIn(id))
    ? undefined
    : children.open({ id: textIn(id), call: textIn(call) });
}

function recordAssistant(session: AgentSession, message: LooseObject): void {
  const content = toObject(message["message"]);
  const thread = threadOf(session, message);
  // Claude Code writes messages of its own, such as "API Error"; the result message says which error it was.
  if (thread === undefined || content["model"] === "<synthetic>") return;
  session.answered(thread, thread.answers.addBlocks(content));
}

function recordEvent(session: AgentSession, message: LooseObject): void {
  const event = toObject(message["event"]);
  const thread = threadOf(session, message);
  if (thread === undefined) return;
  const { type, text, thinking } = toObject(event["delta"]);
  const { text: watch } = shieldRun(thread.run);
  const stops =
    (type === "text_delta" && watch(textIn(text)).stop) ||
    (type === "thinking_delta" && watch(textIn(thinking), { stream: "reasoning" }).stop);
  if (stops) void session.live?.interrupt?.().catch(() => undefined);
  session.answered(thread, thread.answers.addEvent(event));
}

/** Keeps the results of calls for which no hook may come: denied ones, and tools that do not exist. */
function showResults({ shown, isOver }: AgentSession, message: LooseObject): void {
  const denied = new Set(
    objectsIn(message["tool_result_meta"])
      .filter((meta) => nameIn(meta["non_execution_kind"]) !== undefined)
      .map(({ id }) => textIn(id)),
  );
  for (const { type, tool_use_id: id, content, is_error: failed } of objectsIn(
    toObject(message["message"])["content"],
  )) {
    const call = textIn(id);
    if (type !== "tool_result" || failed !== true || isOver(call)) continue;
    const output =
      typeof content === "string"
        ? content
        : objectsIn(content)
            .map(({ text }) => textIn(text))
            .join("");
    shown.set(call, { outcome: denied.has(call) ? "denied" : "error", output });
  }
}

function recordResult(session: AgentSession, result: LooseObject): void {
  const { main, run } = session;
  session.answered(main, main.answers.flush());
  recordCost(run, result);
  const status = numberIn(result["api_error_status"]);
  const code = nameIn(result["api_error_type"]);
  if (status === undefined && code === undefined) return;
  shieldRun(run).record({
    type: "model.failed",
    message: textIn(result["result"]),
    ...defined({ status, code }),
  });
}

/** Claude Code knows what a query has cost so far, its sub-agents included; no answer has a cost of its own. */
function recordCost(run: RunPort, result: LooseObject): void {
  const costUsd = numberIn(result["total_cost_usd"]) ?? 0;
  if (costUsd === 0) return;
  const terminalReason = nameIn(result["terminal_reason"]);
  shieldRun(run).record(queryFinished.record({ costUsd, ...defined({ terminalReason }) }));
}

function recordSystem({ children, compacted }: AgentSession, message: LooseObject): void {
  const { subtype, task_id: id, tool_use_id: call, status, subagent_type: type } = message;
  if (subtype === "task_started" && nameIn(type) !== undefined)
    children.open({ id: textIn(id), type: textIn(type), ...(nameIn(call) !== undefined && { call: textIn(call) }) });
  if (subtype === "task_notification")
    children.end({ id: textIn(id) }, status === "failed" ? "unknown" : status === "stopped" ? "cancelled" : undefined);
  if (subtype === "compact_boundary") compacted(toObject(message["compact_metadata"]));
}

interface QueryEnd {
  readonly result: LooseObject | undefined;
  readonly error: unknown;
  readonly aborted: boolean;
}

/** Ends the run for a reason that only the query knows. A query that is done leaves it to `trackRun`. */
function endQuery({ run, main, children }: AgentSession, { result, error, aborted }: QueryEnd): void {
  const { attempt, record } = shieldRun(run);
  children.close();
  if (aborted && main.asked) record({ type: "model.failed", code: "aborted", message: "The query was aborted." });
  main.asked = false;
  attempt(
    "end",
    () => {
      const { status, stopped } = run.view;
      if (status === "ended" || stopped !== undefined) return;
      const reason = aborted ? "interrupted" : result === undefined ? undefined : resultToReason(result);
      if (reason !== undefined) run.end({ reason, ...defined({ error }) });
      // The run knows which failure of the model it was.
      else if (result?.["is_error"] === true) run.end();
    },
    undefined,
  );
}
