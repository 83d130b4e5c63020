export type { Delegate, HookAgent } from "./hook-agent.ts";
export { agentOf, hookAgents } from "./hook-agents.ts";
export {
  type AgentName,
  agentNames,
  type Capability,
  type HookAnswer,
  type HookEvent,
  type HookEventOf,
  isAgentName,
} from "./hook-event.ts";
export { createHookSession, type HookSession } from "./session/hook-session.ts";
export type { HookSessionOptions } from "./session/session-state.ts";
export { countCalls, missedEvents, type MissedEventsOptions } from "./missed-events.ts";
export type { AnswerLog, ReportedAnswer } from "./reported-answer.ts";
export { selfProtection } from "./self-protection.ts";
export type { SessionStatus } from "./session/session-status.ts";
