import type { Reason } from "../events/reason-codes.ts";

/** Why a model's answer ended, in one vocabulary for all providers. */
export type FinishReason =
  | "stop"
  | "tool-calls"
  | "length"
  | "content-filter"
  | "context"
  | "malformed-call"
  | "error"
  | "cancelled"
  | "unknown";

/** The providers' own words, in lower case and with hyphens. */
const WORDS: Readonly<Record<Exclude<FinishReason, "unknown">, string>> = {
  stop: "stop end-turn stop-sequence complete completed eos eos-token",
  "tool-calls": "tool-calls tool-call tool-use function-call pause-turn",
  length: "length max-tokens max-output-tokens model-length incomplete",
  "content-filter":
    "content-filter content-filtered refusal safety recitation blocklist prohibited-content spii image-safety " +
    "guardrail-intervened error-toxic",
  context: "context model-context-window-exceeded error-limit",
  "malformed-call": "malformed-call malformed-function-call unexpected-tool-call",
  error: "error failed",
  cancelled: "cancelled canceled abort aborted user-cancel",
};

const KINDS = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(WORDS).flatMap(([kind, words]) =>
    words.split(" ").map((word) => [word, kind as FinishReason]),
  ),
);

/**
 * Translates a provider's finish reason: `max_tokens`, `MAX_TOKENS` and `length` are all `"length"`. A word that is not
 * in the table is `"unknown"`.
 *
 * @example
 * normalizeFinishReason("end_turn"); // "stop"
 */
export function normalizeFinishReason(word: string): FinishReason {
  const hyphenated = word.replace(/([a-z])([A-Z])|[_ ]/g, "$1-$2").toLowerCase();
  return KINDS.get(hyphenated) ?? "unknown";
}

const TROUBLE: Readonly<Partial<Record<FinishReason, Reason>>> = {
  length: "answer_truncated",
  "content-filter": "content_filtered",
  context: "context_overflow",
  "malformed-call": "function_call_failed",
  error: "upstream_unhealthy",
  cancelled: "interrupted",
  unknown: "finish_unknown",
};

/** The last answer of the model, as far as it says how a run ended. */
export interface LastAnswer {
  /** Absent if the host did not say why the answer ended. */
  readonly finish?: FinishReason;
  /** True for an answer with neither text nor a tool call. */
  readonly empty: boolean;
}

/** The reason a run must not end as `done`: its last answer is cut off, filtered, empty, or of unknown end. */
export function troubleOf(answer: LastAnswer | undefined): Reason | undefined {
  if (answer === undefined) return undefined;
  const trouble = answer.finish === undefined ? undefined : TROUBLE[answer.finish];
  return trouble ?? (answer.empty ? "answer_empty" : undefined);
}
