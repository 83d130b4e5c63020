import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import type { RunPort } from "@phasekit/core";
import {
  failureToEvent,
  failureToModelEvent,
  recordAnswer,
  recordConversation,
  resultToEvent,
  runFrom,
  type RunSource,
  shieldRun,
  systemClock,
} from "@phasekit/core/adapter";
import { leavesGraph } from "./errors.ts";
import { malformedCalls, messagesToAnswer, toConversation } from "./message-answer.ts";
import { finishReasonIn, watchToken } from "./watch-model.ts";

/** A runnable without a parent, passed to the function that returns its run. */
export interface ObservedRoot {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** The run a runnable belongs to, or the tool call whose sub-agent it is part of. */
interface Scope {
  readonly run: RunPort;
  readonly call?: string;
  /** Created when a model is called inside that tool call. */
  child?: RunPort;
}

/** Tags and metadata of a runnable that starts. */
interface StartInfo {
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A model call or tool call in progress. */
interface Work {
  readonly run: RunPort;
  readonly started: number;
  readonly tool?: { readonly call: string; readonly tool: string };
}

/**
 * Returns a callback handler that only records: for agents, graphs, chains and anything else with callbacks. It cannot
 * nudge, refuse or veto: a nudge is recorded as lost. A model called inside a tool belongs to a child run. Pass a
 * function to get a run for every top-level runnable.
 *
 * @example
 * await trackRun(run, () => graph.invoke(input, { callbacks: [phaseCallbacks(run)] }));
 */
export function phaseCallbacks(
  source: RunSource<ObservedRoot>,
  { clock = systemClock }: { readonly clock?: () => number } = {},
): BaseCallbackHandler {
  const { scopes, works, open, close, endModel, endTool } = createScopes(source, clock);
  const handler = BaseCallbackHandler.fromMethods({
    handleChainStart: (...[, , id, parent, tags, metadata]) => {
      open(id, parent, { tags, metadata });
    },
    handleChainEnd: (_outputs, id) => {
      close(id);
    },
    handleChainError: (_error, id) => {
      close(id);
    },
    handleChatModelStart: (...[, [messages = []], id, parent, , tags, metadata]) => {
      const run = ownerOf(open(id, parent, { tags, metadata }));
      const { attempt, beforeTurn, loseNudges } = shieldRun(run);
      attempt("conversation", () => recordConversation(run, toConversation(messages)), undefined);
      loseNudges(beforeTurn(), "callbacks only watch");
      works.set(id, { run, started: clock() });
    },
    handleLLMNewToken: (...[token, , id, , , fields]) => {
      const work = works.get(id);
      if (work !== undefined) watchToken(work.run, token, fields?.chunk);
    },
    handleLLMEnd: (output, id) => {
      endModel(id, (run, durationMs) => {
        const said = messagesIn(output);
        recordAnswer(run, messagesToAnswer(said, { finishReason: finishReasonIn(output) }), { durationMs });
        for (const event of malformedCalls(said)) shieldRun(run).record(event);
      });
    },
    handleLLMError: (error, id) => {
      endModel(id, (run, durationMs) => shieldRun(run).record({ ...failureToModelEvent(error), durationMs }));
    },
    handleToolStart: (...[serialized, input, id, parent, tags, metadata, name, call = id]) => {
      const run = ownerOf(open(id, parent, { tags, metadata }));
      const tool = { call, tool: name ?? serialized.id.at(-1) ?? "tool" };
      shieldRun(run).beforeTool({ ...tool, input });
      scopes.set(id, { run, call });
      works.set(id, { run, started: clock(), tool });
    },
    handleToolEnd: (output, id) => {
      endTool(id, { output });
    },
    handleToolError: (error, id) => {
      // An interrupt is not a failure: the call is made again when the graph continues.
      if (leavesGraph(error)) close(id);
      else endTool(id, { error });
    },
  });
  handler.name = "phasekit";
  // Without it, callbacks arrive out of order.
  handler.awaitHandlers = true;
  return handler;
}

/** Keeps the runnables that are open, each with the run it belongs to, and records their ends. */
function createScopes(source: RunSource<ObservedRoot>, clock: () => number) {
  const scopes = new Map<string, Scope>();
  const works = new Map<string, Work>();

  /** Returns the scope of a runnable that starts: its parent's, or a new one at the top level. */
  function open(id: string, parent: string | undefined, { tags = [], metadata = {} }: StartInfo): Scope {
    const found = parent === undefined ? undefined : scopes.get(parent);
    const scope = found ?? { run: runFrom(source, { metadata, tags }) };
    scopes.set(id, scope);
    return scope;
  }

  function close(id: string): Work | undefined {
    const work = works.get(id);
    scopes.delete(id);
    works.delete(id);
    return work;
  }

  function endModel(id: string, record: (run: RunPort, durationMs: number) => void): void {
    const work = close(id);
    if (work !== undefined)
      shieldRun(work.run).attempt("phaseCallbacks", () => record(work.run, clock() - work.started), undefined);
  }

  function endTool(id: string, { output, error }: { readonly output?: unknown; readonly error?: unknown }): void {
    const child = scopes.get(id)?.child;
    const work = close(id);
    if (work?.tool === undefined) return;
    const { run, started, tool } = work;
    const { attempt, record } = shieldRun(run);
    attempt(
      "phaseCallbacks",
      () => {
        if (child !== undefined && child.view.status !== "ended") child.end(error === undefined ? {} : { error });
        const durationMs = clock() - started;
        if (error !== undefined) return record(failureToEvent(tool, error, durationMs));
        if (!ToolMessage.isInstance(output)) return record(resultToEvent(tool, output, durationMs));
        const event = resultToEvent(tool, output.text, durationMs);
        return record(output.status === "error" ? { ...event, outcome: "error" } : event);
      },
      false,
    );
  }

  return { scopes, works, open, close, endModel, endTool };
}

/** Returns the run a model call belongs to: inside a tool call, a child run. */
function ownerOf(scope: Scope): RunPort {
  if (scope.call === undefined) return scope.run;
  scope.child ??= scope.run.child({ call: scope.call });
  return scope.child;
}

function messagesIn({ generations }: LLMResult) {
  const { message } = (generations[0]?.[0] ?? {}) as { readonly message?: unknown };
  return BaseMessage.isInstance(message) ? [message] : [];
}
