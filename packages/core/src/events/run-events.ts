import { type Reason, reasonCodes } from "./reason-codes.ts";
import { errorToShape } from "../text/error-shape.ts";
import { count, type Field, flag, json, list, longText, name, number, oneOf, optional, shape, text } from "./field.ts";

const reason: Field<Reason, false> = oneOf(...reasonCodes);

/** The actor of a move. */
export const actor = oneOf("agent", "policy", "judge", "user", "host");

/** How a phase entry ended. */
export const entryOutcome = oneOf("completed", "failed", "abandoned");

/** A policy or interpreter that took part, for telling later whether it is still the same one. */
const part = shape({ name, version: optional(name) });

/** Limits of a run; see the policy `budget`. */
const limits = shape({
  turns: optional(count),
  tokens: optional(count),
  timeMs: optional(count),
  cost: optional(count),
  cachedWeight: optional(count),
  baseline: optional(count),
  repeatedWeight: optional(count),
});

/** The usage of a model call, as far as it is known. An absent member is unknown, never zero. */
export const usage = shape({
  inputTokens: optional(count),
  outputTokens: optional(count),
  cachedInputTokens: optional(count),
  cacheWriteTokens: optional(count),
  longCacheWriteTokens: optional(count),
  reasoningTokens: optional(count),
  cost: optional(count),
  /** Counted by characters, because the provider said nothing. */
  estimated: optional(flag),
});

const errorFields = { name: optional(text), message: text, code: optional(text), status: optional(number) } as const;

const plainError = shape({ ...errorFields, causes: optional(list(shape(errorFields))) });

/** The shape of an error, as much as is worth keeping. A thrown value and its text alone have it, too. */
export const errorShape: typeof plainError = {
  ...plainError,
  take: (value, path, taking) =>
    plainError.take(typeof value === "string" || value instanceof Error ? errorToShape(value) : value, path, taking),
};

/** The error that ended a run, whole: a log keeps its stack. */
const endError = shape({
  ...errorFields,
  message: longText,
  causes: optional(list(shape(errorFields))),
  stack: optional(longText),
});

/** The life of a run and its attempts. */
export const runEvents = {
  "run.started": {
    run: name,
    graph: optional(name),
    phase: name,
    mode: oneOf("observe", "nudge", "gate"),
    attempt: count,
    task: optional(shape({ id: optional(name), kind: optional(name), text: optional(text) })),
    item: optional(shape({ id: name, phase: optional(name), version: optional(count) })),
    /** The folder of the project the agent works in. */
    folder: optional(text),
    /** The run that started this one; `depth` is 1 for its children, 2 for their children. */
    parent: optional(shape({ run: name, call: optional(name), depth: optional(count) })),
    policies: list(part),
    interpreters: list(part),
    /** Limits in force: the run's own and what a parent has left. */
    limits: optional(limits),
  },
  "run.resumed": {
    attempt: count,
    policies: optional(list(part)),
    changed: optional(list(text)),
    why: optional(text),
    /** The run had come to its end, and someone continued it. */
    reopened: optional(flag),
    /** Limits from here on; absent if they are those the run had. */
    limits: optional(limits),
  },
  "run.finished": {
    reason,
    /** Gates show that the work is right, and none objected. */
    verified: flag,
    phase: name,
    outcome: entryOutcome,
    /** The condition that was false when the work was over; the outcome then is `failed`. */
    predicate: optional(name),
    error: optional(endError),
    summary: optional(text),
  },
} as const;

/** Commands to the run, and the passing of time. */
export const commandEvents = {
  "move.requested": {
    do: oneOf("transition", "skip", "rollback", "suspend", "resume", "waive", "stop"),
    to: optional(name),
    from: optional(name),
    by: actor,
    name: optional(text),
    why: optional(text),
    message: optional(text),
    summary: optional(text),
    outcome: optional(entryOutcome),
    reason: optional(reason),
    predicate: optional(name),
    gate: optional(name),
    until: optional(number),
    how: optional(oneOf("wrap-up", "halt", "abort")),
    data: optional(json("text")),
  },
  "clock.ticked": {},
  /** An event that was rejected, and why. Nothing of it was folded. */
  "event.rejected": {
    rejected: text,
    issues: list(shape({ path: text, message: text })),
    excerpt: optional(json("text")),
  },
} as const;

const limitName = oneOf("turns", "tokens", "timeMs", "cost");

/** Requests for more budget, and their answers. */
export const budgetEvents = {
  "budget.requested": { limit: limitName, amount: optional(count), by: actor, why: optional(text) },
  "budget.granted": { limit: limitName, amount: count, by: actor, why: optional(text), review: optional(name) },
  "budget.denied": { limit: limitName, by: actor, why: optional(text), review: optional(name) },
} as const;

/** Child runs, as their parent sees them. */
export const childEvents = {
  "child.started": { child: name, graph: optional(name), task: optional(text) },
  "child.progressed": {
    child: name,
    usage: optional(usage),
    /** Model calls without known usage. */
    unknownUsage: optional(count),
    /** Model calls without a known cost. */
    unknownCost: optional(count),
    toolCalls: optional(count),
    fingerprints: optional(list(name)),
  },
  "child.finished": {
    child: name,
    reason,
    verified: optional(flag),
    phase: optional(name),
    /** Files of the project that it changed and that are still changed. */
    changed: optional(list(text)),
  },
} as const;
