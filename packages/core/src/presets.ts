export { compactionLimit, type CompactionLimitOptions } from "./policies/compaction-limit.ts";
export { compactionReminder } from "./policies/compaction-reminder.ts";
export { subAgentLimit, type SubAgentLimitOptions } from "./policies/sub-agent-limit.ts";
export { codingPhases } from "./presets/coding-phases.ts";
export { conversationPhases } from "./presets/conversation-phases.ts";
export { deliveryPhases } from "./presets/delivery-phases.ts";
export { pipelinePhases } from "./presets/pipeline-phases.ts";
export { readinessPhases } from "./presets/readiness-phases.ts";
