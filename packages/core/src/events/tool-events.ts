import { meaning } from "./meaning.ts";
import { count, flag, json, list, name, number, oneOf, optional, shape, text } from "./field.ts";
import { errorShape, usage } from "./run-events.ts";

/** A text of the model, stored as length, hash and excerpt. */
const messageFields = {
  length: count,
  hash: name,
  excerpt: optional(text),
  /** Findings of the policies that watch streamed text. */
  found: optional(list(shape({ policy: name, kind: name, signature: optional(text), count: optional(count) }))),
} as const;

/** Turns, model calls and the model's context. */
export const turnEvents = {
  "turn.started": { prompt: optional(text) },
  "model.answered": {
    model: optional(name),
    usage: optional(usage),
    finishReason: optional(name),
    durationMs: optional(count),
    attempt: optional(count),
    /** Characters of text in the answer: 0 for an answer of tool calls alone. */
    textLength: optional(count),
    toolCalls: optional(count),
  },
  "model.failed": {
    model: optional(name),
    status: optional(number),
    code: optional(text),
    message: optional(text),
    /** The provider answered with success and put the error into the body. */
    inBody: optional(flag),
    durationMs: optional(count),
    attempt: optional(count),
    error: optional(errorShape),
  },
  /** The model's reasoning, as far as the host shows it. */
  "model.reasoned": messageFields,
  /** The host shortened the conversation: summarized it, or dropped a part of it. */
  "context.compacted": {
    /** Why: "auto", "manual", or a word of the host. */
    trigger: optional(name),
    tokensBefore: optional(count),
    tokensAfter: optional(count),
    summary: optional(text),
  },
} as const;

/** Tool calls. A call we refuse is only `tool.refused`; `denied` is the host's own denial. */
export const toolEvents = {
  "tool.requested": { tool: name, input: optional(json("input")), meaning },
  "tool.finished": {
    tool: name,
    outcome: oneOf("ok", "error", "denied"),
    /** Only without an earlier `tool.requested`: then no other event carries it. */
    input: optional(json("input")),
    output: optional(json("output")),
    exitCode: optional(number),
    durationMs: optional(count),
    error: optional(errorShape),
    meaning,
  },
} as const;

/** Texts, stored as length, hash and excerpt. */
export const messageEvents = {
  "message.sent": messageFields,
  "message.received": {
    length: count,
    hash: name,
    excerpt: optional(text),
    from: optional(name),
    /** Found in a request to the model: an open turn stays open. */
    inRequest: optional(flag),
  },
} as const;

/** Someone wants to be done. */
export const finishEvents = {
  "finish.requested": { text: optional(text), canVeto: optional(flag) },
} as const;
