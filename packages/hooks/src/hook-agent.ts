import type { AgentName, Capability, HookAnswer, HookEvent } from "./hook-event.ts";
import type { AnswerLog } from "./reported-answer.ts";
import type { Payload } from "./payload.ts";

/** Sub-agents that work inside a call of their parent, and whose events do not say whose they are. */
export interface Delegate {
  /** The tool that starts a sub-agent and answers with its report. */
  readonly tool: string;
  readonly taskIn: (input: unknown) => string;
  readonly lastWordsIn: (output: unknown) => string;
  /** The folder where sub-agents of a session have logs of their own, and whether a log is about a task. */
  readonly logs: {
    readonly folder: (transcript: string, session: string) => string;
    readonly isAbout: (log: string, task: string) => boolean;
  };
}

/** One agent: how to read its hook payloads and how to write answers it accepts. */
export interface HookAgent {
  readonly name: AgentName;
  readonly title: string;
  /** The vendor's events Phasekit subscribes to, and what it can do at each. */
  readonly events: Readonly<Record<string, readonly Capability[]>>;
  /** One event follows each batch of parallel calls, so Phasekit nudges there and nowhere else in the batch. */
  readonly hasBatches: boolean;
  /** How to know a sub-agent whose events do not say whose they are. */
  readonly delegate?: Delegate;
  /** The agent ends a session without a word after this many equal calls in a row. */
  readonly ownLoopLimit?: number;
  /** The log named in the payloads, which tells what the model's answers cost. */
  readonly answerLog?: AnswerLog;
  /** The exit code of a call, from the agent's own log, where the payload does not have it. */
  readonly exitCodeIn?: (log: string, call: string) => number | undefined;
  /** The last text of the agent itself, from the end of its own log, where the event of a finish does not have it. */
  readonly lastWordsIn?: (log: string) => string | undefined;
  /** True if the payload can only come from this agent. */
  readonly recognizes: (payload: Payload) => boolean;
  /** The payload as an event. `name` is the event's name where the payload has none. */
  readonly read: (payload: Payload, name?: string) => HookEvent;
  /** The answer as the JSON this agent accepts; undefined if there is nothing to say. */
  readonly write: (event: HookEvent, answer: HookAnswer) => object | undefined;
}
