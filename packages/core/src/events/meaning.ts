import { count, type FieldValues, type Field, flag, json, list, name, oneOf, optional, shape, text } from "./field.ts";

/** The activity of a tool call, whatever the tool is called. Other words are allowed for other kinds of work. */
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
  | "act"
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
  /** True if the exit code says how the tests went: not behind a pipe or `|| true`. */
  trusted: optional(flag),
  /** The part of the command line that hides the runner's exit code, as in `| tail`. */
  hiddenBy: optional(text),
} as const;

/** How a test run went, as an interpreter read it. "No tests ran" is never a pass. */
export type TestMeaning = FieldValues<typeof testFields>;

const meaningFields = {
  activity: optional(activity),
  /** Every activity of a compound call, in order; absent when there is only one. */
  parts: optional(list(activity)),
  /** Files, queries or addresses the call is about. */
  targets: optional(list(text)),
  /** True if the call changes something outside the agent. */
  mutates: optional(flag),
  /** False if the call cannot be taken back. */
  undo: optional(flag),
  /** True if the call could not be read: an interpreter or the redactor failed on it. It may have changed anything. */
  unread: optional(flag),
  tests: optional(shape(testFields)),
  /**
   * Steps towards delivery: `stage`, `commit`, `push`, `merge`, `pull-request`, `comment`, `release`, a look at `ci`, or
   * `no-verify` for skipped hooks.
   */
  delivers: optional(list(name)),
  /** Settings of checks the call loosens, as in `.github/workflows/ci.yml: continue-on-error`. */
  loosens: optional(list(text)),
  /** Equal for equal calls, whatever the order of their arguments. */
  fingerprint: optional(name),
  /** True if the result differs from the last result of the same call, apart from parts that always change. */
  moved: optional(flag),
  /** The call's effect on the world or on the agent's knowledge. `change` also covers a call that carries a script. */
  effect: optional(oneOf("look", "change", "check", "wait", "ask", "act")),
  /** The kind of answer. */
  answer: optional(oneOf("content", "value", "done", "nothing", "failure", "pending")),
  /** The identity of the question: equal for calls that ask the same. */
  about: optional(name),
  /** 0 to 1: how much the answer says that neither the question nor an earlier answer of this run said. */
  gain: optional(count),
  /** Data for the interpreter that wrote it, and for code that knows it. */
  notes: optional(json("text")),
} as const;

/**
 * The meaning of a tool event: read by policies instead of tool names and raw text. Stored, so replay never
 * interprets.
 */
export type Meaning = FieldValues<typeof meaningFields>;

export const meaning: Field<Meaning, false> = shape(meaningFields);
