export { guardLimits, type WithheldWhy } from "./block-guard.ts";
export type { HookAgent } from "./hook-agent.ts";
export { agentOf, capabilityTable, type CapabilityRow, hookAgents } from "./hook-agents.ts";
export {
  type AgentName,
  agentNames,
  type BatchCall,
  type Capability,
  type HookAnswer,
  type HookEvent,
  type HookEventBase,
  type HookEventBody,
  type HookEventKind,
  type HookEventOf,
  isAgentName,
} from "./hook-event.ts";
export { blocked, blockWithheld, gateTouched } from "./hook-events.ts";
export { createHookSession, type HookSession, type HookSessionOptions, type WaiveOptions } from "./hook-session.ts";
export type { Transport } from "./install/hook-entries.ts";
export {
  type InstallOptions,
  type InstallPlan,
  type InstallRecord,
  type InstallScope,
  installScopes,
  installTarget,
  installTransports,
  type PlannedFile,
} from "./install/install-plan.ts";
export type { AnswerLog, ReportedAnswer } from "./reported-answer.ts";
export type { Payload } from "./payload.ts";
export { selfProtection } from "./self-protection.ts";
export type { SessionStatus } from "./session-status.ts";
export { renderStatusLine } from "./status-line.ts";
