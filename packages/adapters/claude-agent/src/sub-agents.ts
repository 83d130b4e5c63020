import { createRun, type RunPort } from "@phasekit/core";
import { defined, setBounded, shieldRun } from "@phasekit/core/adapter";
import { type AnswerCollector, createAnswerCollector } from "./answer-collector.ts";

/** A conversation with a model: the query's own, or a sub-agent's. */
export interface Thread {
  readonly run: RunPort;
  readonly answers: AnswerCollector;
  /** A turn was opened and has no answer yet. */
  asked: boolean;
}

/** A sub-agent, passed to the function that makes its run. */
export interface SubAgent {
  /** Claude Code's id of the sub-agent. */
  readonly id: string;
  /** The call that started it, if it is known. */
  readonly call: string | undefined;
  /** The kind of sub-agent, such as "general-purpose". */
  readonly type: string | undefined;
}

/** The sub-agents of a query, as child runs. */
export interface SubAgents {
  /** The thread of a sub-agent; opens its run if it is new. */
  readonly open: (agent: { readonly id: string; readonly call?: string; readonly type?: string }) => Thread;
  /** True if a sub-agent's run has ended: messages of it may still arrive. */
  readonly isOver: (id: string) => boolean;
  /** Ends the run of a sub-agent, by its id or its call. Nothing happens if there is none. */
  readonly end: (agent: { readonly id?: string; readonly call?: string }, reason?: "cancelled" | "unknown") => void;
  /** Ends what is open when the query is over. */
  readonly close: () => void;
}

export function createThread(run: RunPort): Thread {
  return { run, answers: createAnswerCollector(), asked: false };
}

const MAX_OPEN = 64;
const MAX_OVER = 256;
const AGENT_TOOLS: ReadonlySet<string> = new Set(["Agent", "Task"]);

interface SubAgentOptions {
  /** Makes the run of a sub-agent. */
  readonly child?: ((run: RunPort, agent: SubAgent) => RunPort) | undefined;
  /** Called before the run of a sub-agent ends. */
  readonly onEnd: (thread: Thread) => void;
}

export function createSubAgents(run: RunPort, { child = defaultChild, onEnd }: SubAgentOptions): SubAgents {
  const open = new Map<string, { readonly thread: Thread; readonly call: string | undefined }>();
  const over = new Map<string, true>();

  /** A call of the agent tool that has no run yet. */
  function unassignedCall(): string | undefined {
    const taken = new Set([...open.values()].map(({ call }) => call));
    return [...run.view.pending].find(([call, { tool }]) => AGENT_TOOLS.has(tool) && !taken.has(call))?.[0];
  }

  function finish(id: string, options: Parameters<RunPort["end"]>[0]): void {
    const found = open.get(id);
    if (found === undefined) return;
    onEnd(found.thread);
    open.delete(id);
    setBounded(over, [id, true], MAX_OVER);
    shieldRun(run).attempt("subAgent", () => found.thread.run.end(options), false);
  }

  return {
    open: ({ id, call: given, type }) => {
      const known = open.get(id);
      if (known !== undefined) return known.thread;
      const call = given ?? shieldRun(run).attempt("subAgent", unassignedCall, undefined);
      const made = shieldRun(run).attempt("subAgent", () => child(run, { id, call, type }), undefined);
      // Without a run of its own, the sub-agent must not act on its parent's.
      const thread = createThread(made ?? createRun());
      open.set(id, { thread, call });
      const oldest = open.size > MAX_OPEN ? open.keys().next().value : undefined;
      if (oldest !== undefined) finish(oldest, { reason: "interrupted" });
      return thread;
    },
    isOver: (id) => over.has(id) && !open.has(id),
    end: ({ id, call }, reason) => {
      const found = id ?? [...open].find(([, entry]) => call !== undefined && entry.call === call)?.[0];
      if (found !== undefined) finish(found, reason === undefined ? {} : { reason });
    },
    close: () => {
      for (const id of [...open.keys()]) finish(id, { reason: "parent_ended" });
    },
  };
}

function defaultChild(run: RunPort, { call }: SubAgent): RunPort {
  return run.child({ ...defined({ call }) });
}
