import type { RunPort, TurnAnswer } from "@phasekit/core";
import {
  answerReview,
  defined,
  type LooseObject,
  type ModelAnswer,
  modelForLabel,
  nameIn,
  recordAnswer,
  resultToEvent,
  type Reviewer,
  setBounded,
  shieldRun,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { type HookAnswer, hookAgents, type HookEvent, type HookEventOf } from "@phasekit/hooks";
import { createSubAgents, createThread, type SubAgent, type SubAgents, type Thread } from "./sub-agents.ts";

/** Options for `withPhases()`. All optional. */
export interface PhaseOptions {
  /** Models by phase label, such as `{ small: "haiku" }`. A label without an entry keeps the model of the query. */
  readonly models?: Readonly<Record<string, string>>;
  /** Answers the reviews of turns. */
  readonly reviewer?: Reviewer;
  /** Makes the run of a sub-agent. @default a child run without policies */
  readonly child?: (run: RunPort, agent: SubAgent) => RunPort;
  /**
   * Requests partial messages, which have the exact usage and the finish reason of every answer. Your loop does not get
   * them unless you ask for them. @default true
   */
  readonly partialMessages?: boolean;
}

/** The part of a query that we use while it runs. */
interface LiveQuery {
  readonly setModel?: (model?: string) => Promise<void>;
  readonly interrupt?: () => Promise<unknown>;
}

/** A run beside one query: hooks and messages of the query become events, answers of the run become hook answers. */
export interface AgentSession {
  readonly run: RunPort;
  readonly main: Thread;
  readonly children: SubAgents;
  /** Answers one hook. Never throws. */
  readonly handleHook: (payload: LooseObject) => Promise<object>;
  /** Records an answer of the model. */
  readonly answered: (thread: Thread, answer: ModelAnswer | undefined) => void;
  /** Records the result of a call that had no hook after it: it was denied, or never made. */
  readonly finished: (call: CallEnd) => void;
  /** Records that Claude Code has summarized its history. Takes the metadata of its message. */
  readonly compacted: (metadata: LooseObject) => void;
  /** True if the result of a call is recorded. */
  readonly isOver: (call: string) => boolean;
  /** Results of calls as messages showed them, for calls without a hook. */
  readonly shown: Map<string, { readonly outcome: "denied" | "error"; readonly output: string }>;
  /** Set while messages are watched: they say more about failures and summaries than hooks do. */
  live: LiveQuery | undefined;
  /** The last summary; the hook with it comes before the message. */
  summary: string | undefined;
}

interface CallEnd {
  readonly call: string;
  readonly tool: string;
  readonly outcome: "ok" | "error" | "denied";
  readonly output?: unknown;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly thread?: Thread;
}

const claudeCode = hookAgents["claude-code"];
const NOTHING: HookAnswer = {};
const MAX_CALLS = 1024;

/** Messages that Claude Code wrote before a hook reach us through a few promises: let them pass. */
async function letMessagesPass(): Promise<void> {
  for (let hop = 0; hop < 16; hop += 1) await Promise.resolve();
}

export function createAgentSession(run: RunPort, options: PhaseOptions = {}): AgentSession {
  const { attempt } = shieldRun(run);
  const over = new Map<string, true>();
  let model: string | undefined;
  const session: AgentSession = {
    run,
    main: createThread(run),
    children: createSubAgents(run, {
      child: options.child,
      onEnd: (thread) => answered(thread, thread.answers.flush()),
    }),
    handleHook,
    answered,
    finished,
    compacted,
    isOver: (call) => over.has(call),
    shown: new Map(),
    live: undefined,
    summary: undefined,
  };
  const { main, children, shown } = session;

  async function handleHook(payload: LooseObject): Promise<object> {
    await letMessagesPass();
    try {
      const event = claudeCode.read(payload);
      const answer = await handle(event, payload);
      const { stop } = answer;
      // The writer stops after tools only; here a run that was stopped before must not begin another prompt.
      return claudeCode.write(event, answer) ?? (stop === undefined ? {} : { continue: false, stopReason: stop });
    } catch (error) {
      // The agent continues as without Phasekit.
      attempt(
        "hook",
        () => {
          throw error;
        },
        undefined,
      );
      return {};
    }
  }

  async function handle(event: HookEvent, payload: LooseObject): Promise<HookAnswer> {
    // Claude Code reports the end of sub-agents that never started while it compacts.
    if (event.kind === "subagent.ended") {
      children.end({ id: event.id });
      return NOTHING;
    }
    const thread = event.subagent === undefined ? main : threadOf(event.subagent, payload);
    switch (event.kind) {
      case "prompt.submitted":
        if (event.byPerson)
          shieldRun(run).record({ type: "message.received", from: "user", text: event.text, inRequest: true });
        return nextTurn(thread);
      case "tool.started":
        return toolStarted(thread, event);
      case "tool.ended":
        toolEnded(thread, event);
        return NOTHING;
      case "batch.ended":
        return batchEnded(thread, event);
      case "finish.asked":
        return finishAsked(event);
      case "turn.failed":
        if (session.live === undefined) shieldRun(run).record({ type: "model.failed", message: event.message });
        return NOTHING;
      case "subagent.started":
        threadOf(event.id, payload);
        return NOTHING;
      case "context.compacted":
        session.summary = nameIn(payload["compact_summary"]);
        if (session.live === undefined) compacted({ trigger: payload["trigger"] });
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  function compacted({ trigger, pre_tokens: before, post_tokens: after }: LooseObject): void {
    shieldRun(run).record({
      type: "context.compacted",
      ...(typeof trigger === "string" && { trigger }),
      ...(typeof before === "number" && { tokensBefore: before }),
      ...(typeof after === "number" && { tokensAfter: after }),
      ...defined({ summary: session.summary }),
    });
    session.summary = undefined;
  }

  function threadOf(id: string, payload: LooseObject): Thread {
    const type = nameIn(payload["agent_type"]);
    return children.open({ id, ...defined({ type }) });
  }

  /** Opens a turn. The answer of the one before it is over, whatever is known of it. */
  async function openTurn(thread: Thread): Promise<TurnAnswer> {
    answered(thread, thread.answers.flush());
    const turn = await answerReview(thread.run, shieldRun(thread.run).beforeTurn(), options.reviewer);
    thread.asked = true;
    return turn;
  }

  async function nextTurn(thread: Thread): Promise<HookAnswer> {
    const { message, stop, model: label } = await openTurn(thread);
    if (stop !== undefined) return { stop: `Phasekit stopped the agent: ${stop.text ?? stop.reason}` };
    if (thread === main) await useModel(label);
    return message === undefined ? NOTHING : { nudge: message };
  }

  async function useModel(label: string | undefined): Promise<void> {
    const wanted = attempt("model", () => modelForLabel(run, label, options.models), undefined);
    if (wanted === model || session.live?.setModel === undefined) return;
    await session.live.setModel(wanted);
    model = wanted;
  }

  function toolStarted(thread: Thread, { call, tool, input }: HookEventOf<"tool.started">): HookAnswer {
    if (!thread.asked && thread !== main) {
      shieldRun(thread.run).beforeTurn();
      thread.asked = true;
    }
    const answer = shieldRun(thread.run).beforeTool({ ...defined({ call }), tool, input });
    if (answer.allow) return NOTHING;
    remember(answer.call);
    return { refuse: answer.text };
  }

  function toolEnded(thread: Thread, event: HookEventOf<"tool.ended">): void {
    const { call = "", tool, outcome, output, exitCode, durationMs } = event;
    const { agentId, isAsync } = toObject(output);
    // A sub-agent in the background ends later; its call is over immediately.
    if (isAsync !== true) children.end({ ...(nameIn(agentId) !== undefined && { id: textIn(agentId) }), call });
    finished({
      call,
      tool,
      outcome,
      output,
      thread,
      ...defined({ exitCode }),
      ...(durationMs !== undefined && { durationMs: Math.max(0, durationMs) }),
    });
  }

  function finished({ call, tool, outcome, output, exitCode, durationMs, thread = main }: CallEnd): void {
    if (over.has(call)) return;
    remember(call);
    shown.delete(call);
    const event = resultToEvent({ call, tool }, output, durationMs);
    shieldRun(thread.run).record({
      ...event,
      ...(outcome !== "ok" && { outcome }),
      ...defined({ exitCode }),
    });
  }

  function remember(call: string): void {
    setBounded(over, [call, true], MAX_CALLS);
  }

  function batchEnded(thread: Thread, { calls }: HookEventOf<"batch.ended">): Promise<HookAnswer> {
    answered(thread, thread.answers.flush());
    for (const { call = "", tool, input, output } of calls) {
      // Only calls that were denied, or that Claude Code turned down itself, have no other event.
      if (over.has(call)) continue;
      shieldRun(thread.run).beforeTool({ call, tool, input });
      finished({ call, tool, thread, outcome: "error", output, ...shown.get(call) });
    }
    return nextTurn(thread);
  }

  async function finishAsked({ text, openWork }: HookEventOf<"finish.asked">): Promise<HookAnswer> {
    answered(main, main.answers.flush());
    // Background work is not done: its report wakes the agent up again.
    if (openWork > 0 || attempt("stopped", () => run.view.stopped, undefined) !== undefined) return NOTHING;
    if (session.live === undefined && text !== "") shieldRun(run).record({ type: "message.sent", text });
    const finish = shieldRun(run).beforeFinish({ text });
    if (finish.accept) return NOTHING;
    const { nudge, stop } = await nextTurn(main);
    return stop === undefined ? { veto: nudge === undefined ? finish.text : `${finish.text}\n${nudge}` } : { stop };
  }

  function answered(thread: Thread, answer: ModelAnswer | undefined): void {
    if (answer === undefined) return;
    const { beforeTurn, record } = shieldRun(thread.run);
    if (!thread.asked) {
      // Claude Code continues by itself, such as after an answer that was cut off: nothing can be said to it there.
      const why = "Claude Code asked its model again without a hook";
      for (const { nudge } of beforeTurn().nudges) record({ type: "nudge.lost", nudge, why });
    }
    thread.asked = false;
    attempt("answer", () => recordAnswer(thread.run, answer, { over }), undefined);
  }

  return session;
}
