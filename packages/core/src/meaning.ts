import { count, type Described, type Field, flag, json, list, name, oneOf, optional, shape, text } from "./facts/field.ts";

/** What a tool call does, whatever the tool is called. Other words are allowed for other kinds of work. */
export type Activity =
  | "read"
  | "search"
  | "edit"
  | "run"
  | "test"
  | "build"
  | "lint"
  | "install"
  | "vcs-read"
  | "vcs-write"
  | "plan"
  | "ask"
  | "wait"
  | "delegate"
  | "finish"
  | "other"
  // Keeps the known words in completion lists while any text is allowed.
  | (string & {});

const activity: Field<Activity, false> = name;

const testFields = {
  verdict: oneOf("pass", "fail", "unknown"),
  runner: optional(name),
  passed: optional(count),
  failed: optional(count),
  skipped: optional(count),
  /** Names of failing tests, when the output shows them. */
  failing: optional(list(text)),
  /** Whether the exit code says how the tests went: not behind a pipe or `|| true`. */
  trusted: optional(flag),
} as const;

/** How a test run went, as an interpreter read it. "No tests ran" is never a pass. */
export type TestMeaning = Described<typeof testFields>;

const meaningFields = {
  activity: optional(activity),
  /** Every activity of a compound call, in order; absent when there is only one. */
  parts: optional(list(activity)),
  /** Files, queries or addresses the call is about. */
  targets: optional(list(text)),
  /** Whether the call changes something outside the agent. */
  mutates: optional(flag),
  tests: optional(shape(testFields)),
  /** Equal for equal calls, whatever the order of their arguments. */
  fingerprint: optional(name),
  /** Whether the result differs from the last result of the same call, once what always changes is put aside. */
  moved: optional(flag),
  /** What only the interpreter that wrote it, and those who know it, can read. */
  notes: optional(json("text")),
} as const;

/** What a tool event means: read by policies instead of tool names and raw text. Stored, so replay never interprets. */
export type Meaning = Described<typeof meaningFields>;

export const meaning: Field<Meaning, false> = shape(meaningFields);
