import type { Reason } from "@phasekit/core";
import { type FinishReason, normalizeFinishReason } from "@phasekit/core/adapter";

/** A provider's finish reason in core's vocabulary; a word that core does not know stays as it is. */
export function plainFinishReason(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const reason = normalizeFinishReason(word);
  return reason === "unknown" ? word : reason;
}

const TROUBLES: Readonly<Partial<Record<FinishReason, Reason>>> = {
  length: "answer_truncated",
  "content-filter": "content_filtered",
  context: "context_overflow",
  "malformed-call": "function_call_failed",
  error: "upstream_unhealthy",
  unknown: "finish_unknown",
};

/** The end of an answer without calls. */
export interface AnswerEnd {
  /** The agent handed back: a run may end here. */
  readonly isWhole: boolean;
  /** The reason of a run that ends with this answer, unless it is whole or was cancelled. */
  readonly trouble?: Reason;
}

/**
 * Tells how an answer without calls ended. Reasoning alone, without a finish reason, is the beginning of an answer: the
 * log ends in the middle of it.
 */
export function endOfAnswer({
  text,
  hasReasoned,
  finishReason,
  isTextUnknown,
}: {
  readonly text: string;
  /** The log leaves texts out. */
  readonly isTextUnknown: boolean;
  readonly hasReasoned: boolean;
  readonly finishReason: string | undefined;
}): AnswerEnd {
  const reason = finishReason === undefined ? "stop" : normalizeFinishReason(finishReason);
  if (reason === "cancelled") return { isWhole: false };
  const trouble = TROUBLES[reason];
  if (trouble !== undefined) return { isWhole: false, trouble };
  if (text === "" && !isTextUnknown)
    return { isWhole: false, ...((finishReason !== undefined || !hasReasoned) && { trouble: "answer_empty" }) };
  return { isWhole: reason === "stop" };
}
