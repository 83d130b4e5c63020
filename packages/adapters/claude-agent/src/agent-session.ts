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
  return new Session(run, options);
}

class Session implements AgentSession {
  readonly run: RunPort;
  readonly #options: PhaseOptions;
  readonly #attempt: <T>(during: string, work: () => T, otherwise: T) => T;
  readonly #over = new Map<string, true>();
  #model: string | undefined;
  readonly main: Thread;
  readonly children: SubAgents;
  readonly shown: AgentSession["shown"] = new Map();
  live: AgentSession["live"] = undefined;
  summary: AgentSession["summary"] = undefined;

  constructor(run: RunPort, options: PhaseOptions = {}) {
    this.run = run;
    this.#options = options;
    const { attempt } = shieldRun(this.run);
    this.#attempt = attempt;
    this.main = createThread(this.run);
    this.children = createSubAgents(this.run, {
      child: options.child,
      onEnd: (thread) => this.answered(thread, thread.answers.flush()),
    });
  }

  readonly handleHook = async (payload: LooseObject): Promise<object> => {
    await letMessagesPass();
    try {
      const event = claudeCode.read(payload);
      const answer = await this.#handle(event, payload);
      const { stop } = answer;
      // The writer stops after tools only; here a run that was stopped before must not begin another prompt.
      return claudeCode.write(event, answer) ?? (stop === undefined ? {} : { continue: false, stopReason: stop });
    } catch (error) {
      // The agent continues as without Phasekit.
      this.#attempt(
        "hook",
        () => {
          throw error;
        },
        undefined,
      );
      return {};
    }
  };

  readonly answered = (thread: Thread, answer: ModelAnswer | undefined): void => {
    if (answer === undefined) return;
    const { beforeTurn, loseNudges } = shieldRun(thread.run);
    if (!thread.asked) {
      // Claude Code continues by itself, such as after an answer that was cut off: nothing can be said to it there.
      loseNudges(beforeTurn(), "Claude Code asked its model again without a hook");
    }
    thread.asked = false;
    this.#attempt("answer", () => recordAnswer(thread.run, answer, { over: this.#over }), undefined);
  };

  readonly finished = ({ call, tool, outcome, output, exitCode, durationMs, thread = this.main }: CallEnd): void => {
    if (this.#over.has(call)) return;
    this.#remember(call);
    this.shown.delete(call);
    const event = resultToEvent({ call, tool }, output, durationMs);
    shieldRun(thread.run).record({
      ...event,
      ...(outcome !== "ok" && { outcome }),
      ...defined({ exitCode }),
    });
  };

  readonly compacted = ({ trigger, pre_tokens: before, post_tokens: after }: LooseObject): void => {
    shieldRun(this.run).record({
      type: "context.compacted",
      ...(typeof trigger === "string" && { trigger }),
      ...(typeof before === "number" && { tokensBefore: before }),
      ...(typeof after === "number" && { tokensAfter: after }),
      ...defined({ summary: this.summary }),
    });
    this.summary = undefined;
  };

  readonly isOver: AgentSession["isOver"] = (call) => this.#over.has(call);

  async #handle(event: HookEvent, payload: LooseObject): Promise<HookAnswer> {
    // Claude Code reports the end of sub-agents that never started while it compacts.
    if (event.kind === "subagent.ended") {
      this.children.end({ id: event.id });
      return NOTHING;
    }
    const thread = event.subagent === undefined ? this.main : this.#threadOf(event.subagent, payload);
    switch (event.kind) {
      case "prompt.submitted":
        if (event.byPerson)
          shieldRun(this.run).record({ type: "message.received", from: "user", text: event.text, inRequest: true });
        return this.#nextTurn(thread);
      case "tool.started":
        return this.#toolStarted(thread, event);
      case "tool.ended":
        this.#toolEnded(thread, event);
        return NOTHING;
      case "batch.ended":
        return this.#batchEnded(thread, event);
      case "finish.asked":
        return this.#finishAsked(event);
      case "turn.failed":
        if (this.live === undefined) shieldRun(this.run).record({ type: "model.failed", message: event.message });
        return NOTHING;
      case "subagent.started":
        this.#threadOf(event.id, payload);
        return NOTHING;
      case "context.compacted":
        this.summary = nameIn(payload["compact_summary"]);
        if (this.live === undefined) this.compacted({ trigger: payload["trigger"] });
        return NOTHING;
      default:
        return NOTHING;
    }
  }

  #threadOf(id: string, payload: LooseObject): Thread {
    const type = nameIn(payload["agent_type"]);
    return this.children.open({ id, ...defined({ type }) });
  }

  /** Opens a turn. The answer of the one before it is over, whatever is known of it. */
  async #openTurn(thread: Thread): Promise<TurnAnswer> {
    this.answered(thread, thread.answers.flush());
    const turn = await answerReview(thread.run, shieldRun(thread.run).beforeTurn(), this.#options.reviewer);
    thread.asked = true;
    return turn;
  }

  async #nextTurn(thread: Thread): Promise<HookAnswer> {
    const { message, stop, model: label } = await this.#openTurn(thread);
    if (stop !== undefined) return { stop: `Phasekit stopped the agent: ${stop.text ?? stop.reason}` };
    if (thread === this.main) await this.#useModel(label);
    return message === undefined ? NOTHING : { nudge: message };
  }

  async #useModel(label: string | undefined): Promise<void> {
    const wanted = this.#attempt("model", () => modelForLabel(this.run, label, this.#options.models), undefined);
    if (wanted === this.#model || this.live?.setModel === undefined) return;
    await this.live.setModel(wanted);
    this.#model = wanted;
  }

  #toolStarted(thread: Thread, { call, tool, input }: HookEventOf<"tool.started">): HookAnswer {
    if (!thread.asked && thread !== this.main) {
      shieldRun(thread.run).beforeTurn();
      thread.asked = true;
    }
    const answer = shieldRun(thread.run).beforeTool({ ...defined({ call }), tool, input });
    if (answer.allow) return NOTHING;
    this.#remember(answer.call);
    return { refuse: answer.text };
  }

  #toolEnded(thread: Thread, event: HookEventOf<"tool.ended">): void {
    const { call = "", tool, outcome, output, exitCode, durationMs } = event;
    const { agentId, isAsync } = toObject(output);
    // A sub-agent in the background ends later; its call is over immediately.
    if (isAsync !== true) this.children.end({ ...(nameIn(agentId) !== undefined && { id: textIn(agentId) }), call });
    this.finished({
      call,
      tool,
      outcome,
      output,
      thread,
      ...defined({ exitCode }),
      ...(durationMs !== undefined && { durationMs: Math.max(0, durationMs) }),
    });
  }

  #remember(call: string): void {
    setBounded(this.#over, [call, true], MAX_CALLS);
  }

  #batchEnded(thread: Thread, { calls }: HookEventOf<"batch.ended">): Promise<HookAnswer> {
    this.answered(thread, thread.answers.flush());
    for (const { call = "", tool, input, output } of calls) {
      // Only calls that were denied, or that Claude Code turned down itself, have no other event.
      if (this.#over.has(call)) continue;
      shieldRun(thread.run).beforeTool({ call, tool, input });
      this.finished({ call, tool, thread, outcome: "error", output, ...this.shown.get(call) });
    }
    return this.#nextTurn(thread);
  }

  async #finishAsked({ text, openWork }: HookEventOf<"finish.asked">): Promise<HookAnswer> {
    this.answered(this.main, this.main.answers.flush());
    // Background work is not done: its report wakes the agent up again.
    if (openWork > 0 || this.#attempt("stopped", () => this.run.view.stopped, undefined) !== undefined) return NOTHING;
    if (this.live === undefined && text !== "") shieldRun(this.run).record({ type: "message.sent", text });
    const finish = shieldRun(this.run).beforeFinish({ text });
    if (finish.accept) return NOTHING;
    const { nudge, stop } = await this.#nextTurn(this.main);
    return stop === undefined ? { veto: nudge === undefined ? finish.text : `${finish.text}\n${nudge}` } : { stop };
  }
}
