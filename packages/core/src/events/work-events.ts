import { count, flag, json, list, mapOf, name, number, oneOf, optional, shape, text } from "./field.ts";

/** Events about the work itself: checks, outputs, plans, reviews. */
export const workEvents = {
  "validation.failed": { path: text, expected: optional(text), attempt: optional(count), tool: optional(name) },
  "check.finished": {
    check: name,
    outcome: oneOf("success", "failure", "exception"),
    passed: optional(count),
    failed: optional(count),
    count: optional(count),
    first: optional(text),
    /** The check was a gate's condition: its name. */
    gate: optional(name),
  },
  "output.produced": { counts: mapOf(count) },
  "operation.finished": { name, outcome: oneOf("success", "failure"), why: optional(text) },
  "quota.observed": { remaining: number, limit: optional(number), resetAt: optional(number), unit: optional(name) },
  "workspace.observed": {
    hash: optional(name),
    filesChanged: optional(count),
    linesAdded: optional(count),
    linesRemoved: optional(count),
    commits: optional(count),
    paths: optional(list(text)),
  },
  "todos.updated": { todos: list(shape({ id: optional(name), text: optional(text), status: name })) },
  "plan.declared": { text: optional(text), steps: optional(count) },
  "question.asked": { question: text, id: optional(name) },
  "progress.made": { what: text },
  "claim.submitted": { claim: name, item: optional(name), phase: optional(name), data: optional(json("text")) },
  "verdict.given": {
    claim: optional(name),
    item: optional(name),
    phase: optional(name),
    verdict: oneOf("approved", "rejected"),
    why: optional(text),
    fix: optional(text),
    judge: optional(name),
  },
  "review.finished": {
    review: name,
    verdict: oneOf("approve", "needs-changes", "reject", "failed"),
    feedback: optional(text),
    reviewer: optional(name),
    fallback: optional(flag),
    // The model has not been asked yet: the host asks beforeTurn() again and passes on what it says then.
    waited: optional(flag),
  },
  /** The host could not deliver a nudge. */
  "nudge.lost": { nudge: name, why: optional(text) },
  /** An event of another package or of the user's own; see `defineEvent`. */
  "event.recorded": { name, data: json("input") },
} as const;
