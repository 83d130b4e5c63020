import { type Reason, reasonCodes } from "../reason-codes.ts";
import { count, type Field, flag, json, list, name, number, oneOf, optional, shape, text } from "./field.ts";

const reason: Field<Reason, false> = oneOf(...reasonCodes);

/** Who asks for a move. */
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
});

/** What a model call cost, as far as it is known. A member that is absent is unknown, never zero. */
export const usage = shape({
  inputTokens: optional(count),
  outputTokens: optional(count),
  cachedInputTokens: optional(count),
  cacheWriteTokens: optional(count),
  reasoningTokens: optional(count),
  cost: optional(count),
  /** Counted by characters, because the provider said nothing. */
  estimated: optional(flag),
});

/** The shape of an error, as much as is worth keeping. */
export const errorShape = shape({
  name: optional(text),
  message: text,
  code: optional(text),
  status: optional(number),
  causes: optional(list(shape({ name: optional(text), message: text, code: optional(text), status: optional(number) }))),
});

/** The life of a run and its attempts. */
export const runFacts = {
  "run.started": {
    run: name,
    graph: optional(name),
    phase: name,
    mode: oneOf("observe", "nudge", "gate"),
    attempt: count,
    task: optional(shape({ id: optional(name), kind: optional(name), text: optional(text) })),
    item: optional(shape({ id: name, phase: optional(name), version: optional(count) })),
    parent: optional(shape({ run: name, call: optional(name) })),
    policies: list(part),
    interpreters: list(part),
    /** Limits in force: the run's own and what a parent has left. */
    limits: optional(limits),
  },
  "run.resumed": { attempt: count, policies: optional(list(part)), changed: optional(list(text)), why: optional(text) },
  "run.finished": {
    reason,
    /** Every gate that was asked vouched for the work, and none objected. */
    verified: flag,
    phase: name,
    outcome: entryOutcome,
    error: optional(errorShape),
    summary: optional(text),
  },
} as const;

/** What somebody asks of the run, and the passing of time. */
export const commandFacts = {
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
  /** A fact that could not be taken: what it was, and why. Nothing of it was folded. */
  "fact.rejected": {
    rejected: text,
    issues: list(shape({ path: text, message: text })),
    excerpt: optional(json("text")),
  },
} as const;

/** Child runs, as their parent sees them. */
export const childFacts = {
  "child.started": { child: name, graph: optional(name), task: optional(text) },
  "child.progressed": {
    child: name,
    usage: optional(usage),
    /** Model calls whose usage nobody knows. */
    unknownUsage: optional(count),
    toolCalls: optional(count),
    fingerprints: optional(list(name)),
  },
  "child.finished": { child: name, reason, verified: optional(flag), phase: optional(name) },
} as const;
