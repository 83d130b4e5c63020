import type { ReportedAnswer } from "./reported-answer.ts";

/** The agents Phasekit runs inside. */
export const agentNames = ["claude-code", "codex", "gemini-cli", "copilot-cli", "cursor", "opencode", "pi"] as const;

/** The name of an agent Phasekit runs inside. */
export type AgentName = (typeof agentNames)[number];

/** True if the text names an agent Phasekit runs inside. */
export function isAgentName(text: string): text is AgentName {
  return (agentNames as readonly string[]).includes(text);
}

/** Fields of every hook event. */
export interface HookEventBase {
  readonly agent: AgentName;
  /** The vendor's name of the event, such as `PreToolUse`. */
  readonly name: string;
  /** The agent's session; empty if the payload does not say. */
  readonly session: string;
  readonly cwd?: string;
  /** The agent's own log of the session. */
  readonly transcript?: string;
  /** The sub-agent the event belongs to. */
  readonly subagent?: string;
  /** The agent is in a read-only planning mode. */
  readonly planning?: boolean;
  /** Text that is in the agent's own log after all that came before this event, where the log is written late. */
  readonly logMark?: string;
  /** The model's answers since the last event, as far as the agent reports them. */
  readonly answers?: readonly ReportedAnswer[];
}

/** One call in a batch of parallel calls. */
interface BatchCall {
  readonly call?: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** The kinds of hook events, in one vocabulary for all agents. */
export type HookEventBody =
  | { readonly kind: "session.started"; readonly source: "startup" | "resume" | "compact" | "other" }
  | { readonly kind: "prompt.submitted"; readonly text: string; readonly byPerson: boolean }
  | { readonly kind: "tool.started"; readonly call?: string; readonly tool: string; readonly input?: unknown }
  | {
      readonly kind: "tool.ended";
      readonly call?: string;
      readonly tool: string;
      readonly input?: unknown;
      readonly outcome: "ok" | "error" | "denied";
      readonly output?: unknown;
      readonly exitCode?: number;
      readonly durationMs?: number;
      readonly interrupted?: boolean;
      /** The answers of the sub-agent that worked inside this call. */
      readonly subagentAnswers?: readonly ReportedAnswer[];
    }
  | { readonly kind: "batch.ended"; readonly calls: readonly BatchCall[] }
  | {
      readonly kind: "finish.asked";
      readonly text: string;
      /** The agent continues because a hook vetoed its last finish. */
      readonly continued: boolean;
      /** Background tasks and scheduled wake-ups that are still open. */
      readonly openWork: number;
      /** The turn ended because the user interrupted it or the model failed. */
      readonly aborted: boolean;
      /** The agent leaves now: a veto could not reach it. */
      readonly isLeaving?: boolean;
    }
  | { readonly kind: "turn.failed"; readonly message: string }
  | { readonly kind: "subagent.started"; readonly id: string; readonly task?: string }
  | {
      readonly kind: "subagent.ended";
      readonly id: string;
      /** Its last words. */
      readonly text?: string;
      /** It continues because a hook vetoed its last finish. */
      readonly continued?: boolean;
    }
  | { readonly kind: "context.compacted"; readonly trigger?: string }
  | { readonly kind: "session.ended"; readonly reason?: string }
  | { readonly kind: "ignored" };

/** A hook payload in the vocabulary all agents share. */
export type HookEvent = HookEventBase & HookEventBody;

/** The kind of a hook event. */
type HookEventKind = HookEventBody["kind"];

/** The hook event of one kind. */
export type HookEventOf<K extends HookEventKind> = HookEventBase & Extract<HookEventBody, { readonly kind: K }>;

/** Phasekit's answer to a hook event. At most one of refuse, veto and stop is set. */
export interface HookAnswer {
  /** Text for the agent's next model request. */
  readonly nudge?: string;
  /** Do not run the tool; the agent reads this text instead of a result. */
  readonly refuse?: string;
  /** Do not finish yet; the agent reads this text and continues. */
  readonly veto?: string;
  /** End the agent's loop; the user reads this text. */
  readonly stop?: string;
}

/** One thing Phasekit can do at an event of an agent. */
export type Capability = "observe" | "nudge" | "refuse" | "veto" | "stop";
