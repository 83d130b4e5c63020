import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import type { RunPort } from "@phasekit/core";
import { failureFact, failureToModelFact, recordAnswer, resultFact, runFrom, type RunSource, shieldRun, systemClock } from "@phasekit/core/adapter";
import { leavesGraph } from "./errors.ts";
import { messagesToAnswer } from "./message-answer.ts";
import { finishReasonIn } from "./watch-model.ts";

/** What is known about something that runs when a run is looked for. */
export interface ObservedRoot {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Where something that runs belongs: to a run, or to the sub-agents of one of its tool calls. */
interface Scope {
  readonly run: RunPort;
  readonly call?: string;
  /** Made when a model is asked on behalf of that call. */
  child?: RunPort;
}

/** What a callback says about what starts. */
interface Started {
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A model or a tool at work. */
interface Work {
  readonly run: RunPort;
  readonly started: number;
  readonly tool?: { readonly call: string; readonly tool: string };
}

/**
 * A callback handler that only watches: agents, graphs, chains, whatever takes callbacks. It cannot nudge, refuse or
 * veto, and says so: a nudge that would have been sent is recorded as lost. A model that is asked inside of a tool
 * belongs to a child run. Pass a function to have a run for everything that is started.
 *
 * @example
 * await trackRun(run, () => graph.invoke(input, { callbacks: [phaseCallbacks(run)] }));
 */
export function phaseCallbacks(source: RunSource<ObservedRoot>, { clock = systemClock }: { readonly clock?: () => number } = {}): BaseCallbackHandler {
  const scopes = new Map<string, Scope>();
  const works = new Map<string, Work>();

  /** The scope something starts in: its parent's, or a new one when nothing is around it. */
  function open(id: string, parent: string | undefined, { tags = [], metadata = {} }: Started): Scope {
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
    if (work !== undefined) shieldRun(work.run).attempt("phaseCallbacks", () => record(work.run, clock() - work.started), undefined);
  }

  function endTool(id: string, { output, error }: { readonly output?: unknown; readonly error?: unknown }): void {
    const child = scopes.get(id)?.child;
    const work = close(id);
    if (work?.tool === undefined) return;
    const { run, started, tool } = work;
    const { attempt, record } = shieldRun(run);
    attempt("phaseCallbacks", () => {
      if (child !== undefined && child.view.status !== "ended") child.end(error === undefined ? {} : { error });
      const durationMs = clock() - started;
      if (error !== undefined) return record(failureFact(tool, error, durationMs));
      if (!ToolMessage.isInstance(output)) return record(resultFact(tool, output, durationMs));
      const fact = resultFact(tool, output.text, durationMs);
      return record(output.status === "error" ? { ...fact, outcome: "error" } : fact);
    }, false);
  }

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
    handleChatModelStart: (...[, , id, parent, , tags, metadata]) => {
      const run = ownerOf(open(id, parent, { tags, metadata }));
      const { beforeTurn, record } = shieldRun(run);
      for (const { nudge } of beforeTurn().nudges) record({ type: "nudge.lost", nudge, why: "callbacks only watch" });
      works.set(id, { run, started: clock() });
    },
    handleLLMNewToken: (token, _place, id) => {
      const work = works.get(id);
      if (work !== undefined && token !== "") shieldRun(work.run).text(token);
    },
    handleLLMEnd: (output, id) => {
      endModel(id, (run, durationMs) => recordAnswer(run, messagesToAnswer(messagesIn(output), { finishReason: finishReasonIn(output) }), { durationMs }));
    },
    handleLLMError: (error, id) => {
      endModel(id, (run, durationMs) => shieldRun(run).record({ ...failureToModelFact(error), durationMs }));
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
      // An interrupt is no failure: the call is made again when the graph goes on.
      if (leavesGraph(error)) close(id);
      else endTool(id, { error });
    },
  });
  handler.name = "phasekit";
  // Otherwise the order of what is told is not the order of what happened.
  handler.awaitHandlers = true;
  return handler;
}

/** The run whose model is asked here: a child of its own inside of a tool call. */
function ownerOf(scope: Scope): RunPort {
  if (scope.call === undefined) return scope.run;
  scope.child ??= scope.run.child({ call: scope.call });
  return scope.child;
}

function messagesIn({ generations }: LLMResult) {
  const { message } = (generations[0]?.[0] ?? {}) as { readonly message?: unknown };
  return BaseMessage.isInstance(message) ? [message] : [];
}
