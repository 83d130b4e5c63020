import type { Reason } from "@phasekit/core";

/**
 * The GenAI conventions that these names are from. All of them have the status "Development": when they change, this
 * file changes, and nothing else.
 */
export const CONVENTIONS = "open-telemetry/semantic-conventions-genai 2026-11";

/** Attributes of the GenAI conventions, of OpenTelemetry in general, and of backends that have names of their own. */
export const names = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  /** Of no convention; Langfuse and OpenLLMetry read it. */
  cost: "gen_ai.usage.cost",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  call: "gen_ai.tool.call.id",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
  evaluation: "gen_ai.evaluation.result",
  evaluationName: "gen_ai.evaluation.name",
  evaluationLabel: "gen_ai.evaluation.score.label",
  evaluationScore: "gen_ai.evaluation.score.value",
  evaluationWhy: "gen_ai.evaluation.explanation",
  /** Proposed, not accepted: issue 171 and pull request 238 of the conventions. */
  agentFinish: "gen_ai.agent.finish_reason",
  errorType: "error.type",
  session: "session.id",
  inferenceKind: "openinference.span.kind",
  inferenceInput: "input.value",
  inferenceOutput: "output.value",
  langfuseKind: "langfuse.observation.type",
  langfuseLevel: "langfuse.observation.level",
  langfuseTags: "langfuse.trace.tags",
} as const;

/** Attributes of Phasekit. Members of events are named after the event: `phasekit.alert.kind`. */
export const own = {
  conventions: "phasekit.conventions",
  run: "phasekit.run",
  parentRun: "phasekit.parent.run",
  attempt: "phasekit.attempt",
  mode: "phasekit.mode",
  graph: "phasekit.graph",
  turn: "phasekit.turn",
  policy: "phasekit.policy",
  /** The events behind a span or a log record, as JSON without text: what a reader needs to get the run back. */
  events: "phasekit.events",
  phase: "phasekit.phase.name",
  entry: "phasekit.phase.entry",
  reason: "phasekit.reason",
  blame: "phasekit.blame",
  state: "phasekit.state",
  verified: "phasekit.verified",
  verdict: "phasekit.verdict",
  grade: "phasekit.grade",
  refused: "phasekit.refused",
  activity: "phasekit.call.activity",
  effect: "phasekit.call.effect",
  gain: "phasekit.call.gain",
  failed: "phasekit.call.failed",
  changed: "phasekit.call.changed",
  exitCode: "phasekit.call.exit_code",
  checkKind: "phasekit.call.check.kind",
  checkVerdict: "phasekit.call.check.verdict",
} as const;

/** The names a span's kind has in the GenAI conventions, in OpenInference and in Langfuse. Each backend reads one. */
export const kinds = {
  agent: { [names.operation]: "invoke_agent", [names.inferenceKind]: "AGENT", [names.langfuseKind]: "agent" },
  phase: { [names.inferenceKind]: "CHAIN", [names.langfuseKind]: "chain" },
  model: { [names.operation]: "chat", [names.inferenceKind]: "LLM", [names.langfuseKind]: "generation" },
  tool: { [names.operation]: "execute_tool", [names.inferenceKind]: "TOOL", [names.langfuseKind]: "tool" },
  gate: { [names.inferenceKind]: "EVALUATOR", [names.langfuseKind]: "evaluator" },
  event: { [names.inferenceKind]: "GUARDRAIL", [names.langfuseKind]: "event" },
} as const;

/** The words under discussion for `gen_ai.agent.finish_reason`, and the one for each of our reasons. */
export const agentFinish: Readonly<
  Record<Reason, "completed" | "max_iterations" | "max_tokens" | "time_budget" | "cancelled" | "guardrail" | "error">
> = {
  done: "completed",
  done_unverified: "completed",
  advanced: "completed",
  asked: "completed",
  skipped: "cancelled",
  rolled_back: "cancelled",
  suspended: "cancelled",
  cancelled: "cancelled",
  parent_ended: "cancelled",
  interrupted: "cancelled",
  step_limit: "max_iterations",
  turn_limit: "max_iterations",
  token_limit: "max_tokens",
  cost_limit: "max_tokens",
  answer_truncated: "max_tokens",
  context_overflow: "max_tokens",
  phase_timeout: "time_budget",
  timeout: "time_budget",
  archive_timeout: "time_budget",
  policy_stop: "guardrail",
  abandoned: "guardrail",
  aborted_stagnation: "guardrail",
  aborted_cumulative_loop: "guardrail",
  content_filtered: "guardrail",
  gave_up: "error",
  answer_empty: "error",
  finish_unknown: "error",
  rate_limit: "error",
  rate_limit_mid_run: "error",
  upstream_unhealthy: "error",
  connection_error: "error",
  function_call_failed: "error",
  validation_giveup: "error",
  unknown: "error",
};
