import { isResumable, type Reason, reasonCodes } from "./reason-codes.ts";

/** The party a reason points at: `none` if nothing went wrong. */
export type Blame = "none" | "agent" | "provider" | "host" | "user" | "policy";

interface ReasonSpec {
  readonly blame: Blame;
  /** True if a run that ended so says something about the model. */
  readonly countsAgainstModel: boolean;
  /** True if a run that ended so is resumed as it is; after any other end only with `reopen`. */
  readonly resumable: boolean;
  /** One sentence for people. */
  readonly text: string;
}

const TABLE: Readonly<Record<Reason, Omit<ReasonSpec, "resumable">>> = {
  done: { blame: "none", countsAgainstModel: false, text: "The run ended as done, and no gate objected." },
  done_unverified: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The run ended as done while a gate was not met.",
  },
  gave_up: { blame: "agent", countsAgainstModel: true, text: "The agent said that it could not do the work." },
  asked: { blame: "none", countsAgainstModel: false, text: "The agent asked a question and changed nothing." },
  advanced: { blame: "none", countsAgainstModel: false, text: "The phase was left for the next one." },
  skipped: { blame: "user", countsAgainstModel: false, text: "The phase was skipped by someone allowed to." },
  rolled_back: { blame: "user", countsAgainstModel: false, text: "The phase was undone by a rollback." },
  suspended: { blame: "user", countsAgainstModel: false, text: "The run was set aside to be resumed." },
  cancelled: { blame: "user", countsAgainstModel: false, text: "Someone asked the run to stop." },
  abandoned: { blame: "agent", countsAgainstModel: true, text: "A review decided to give the work up." },
  parent_ended: { blame: "host", countsAgainstModel: false, text: "The run that started this one ended first." },
  step_limit: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The host ended its loop, at a limit of steps or rounds, while the agent was still working.",
  },
  turn_limit: { blame: "agent", countsAgainstModel: true, text: "The limit of turns was reached." },
  token_limit: { blame: "agent", countsAgainstModel: true, text: "The limit of tokens was reached." },
  cost_limit: { blame: "agent", countsAgainstModel: true, text: "The limit of cost was reached." },
  phase_timeout: { blame: "agent", countsAgainstModel: true, text: "One phase took longer than the graph allows." },
  policy_stop: { blame: "policy", countsAgainstModel: false, text: "A policy asked the run to stop." },
  context_overflow: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The conversation no longer fits the model's context.",
  },
  content_filtered: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The provider's filter withheld the answer.",
  },
  answer_truncated: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The last answer was cut off at the limit for output tokens.",
  },
  answer_empty: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The last answer had neither text nor a tool call.",
  },
  finish_unknown: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The provider ended the last answer for a reason that Phasekit does not know.",
  },
  timeout: { blame: "agent", countsAgainstModel: true, text: "One model call took longer than its limit." },
  rate_limit: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The provider refused the request for quota (403, 429 or a key limit).",
  },
  rate_limit_mid_run: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The remaining quota fell to its floor during the run.",
  },
  upstream_unhealthy: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The upstream failed too often, with errors inside successful answers.",
  },
  connection_error: {
    blame: "provider",
    countsAgainstModel: false,
    text: "The connection to the provider could not be made or kept.",
  },
  function_call_failed: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The model did not make the tool call it owed, though asked again.",
  },
  validation_giveup: {
    blame: "agent",
    countsAgainstModel: true,
    text: "The model could not produce arguments that validate.",
  },
  unknown: { blame: "agent", countsAgainstModel: true, text: "An error that fits no known kind." },
  aborted_stagnation: {
    blame: "policy",
    countsAgainstModel: false,
    text: "The same failure came back until a breaker opened.",
  },
  aborted_cumulative_loop: {
    blame: "policy",
    countsAgainstModel: false,
    text: "Many related corrections added up to a runaway loop.",
  },
  interrupted: {
    blame: "host",
    countsAgainstModel: false,
    text: "The process was stopped or killed before the run ended.",
  },
  archive_timeout: {
    blame: "policy",
    countsAgainstModel: false,
    text: "The time limit for the whole run was reached.",
  },
};

/** Every reason with its blame, whether it counts against the model, can be resumed, and one sentence for people. */
export const reasons = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ reasonCodes.map((reason) => [reason, { ...TABLE[reason], resumable: isResumable(reason) }]),
) as Readonly<Record<Reason, ReasonSpec>>;
