import { meaning } from "../meaning.ts";
import { count, flag, json, list, name, number, oneOf, optional, shape, text } from "./field.ts";
import { errorShape, usage } from "./run-facts.ts";

/** Turns and model calls. */
export const turnFacts = {
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
} as const;

/** Tool calls. A call we refuse is only `tool.refused`; `denied` is the host's own denial. */
export const toolFacts = {
  "tool.requested": { tool: name, input: optional(json("input")), meaning },
  "tool.finished": {
    tool: name,
    outcome: oneOf("ok", "error", "denied"),
    /** Only without an earlier `tool.requested`: then nobody else carries it. */
    input: optional(json("input")),
    output: optional(json("output")),
    exitCode: optional(number),
    durationMs: optional(count),
    error: optional(errorShape),
    meaning,
  },
} as const;

/** Texts, stored as length, hash and excerpt. */
export const messageFacts = {
  "message.sent": {
    length: count,
    hash: name,
    excerpt: optional(text),
    /** What the policies that watch streamed text found in it. */
    found: optional(list(shape({ policy: name, kind: name, signature: optional(text), count: optional(count) }))),
  },
  "message.received": { length: count, hash: name, excerpt: optional(text), from: optional(name) },
} as const;

/** Someone wants to be done. */
export const finishFacts = {
  "finish.requested": { text: optional(text), canVeto: optional(flag) },
} as const;
