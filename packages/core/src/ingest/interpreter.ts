import type { RunEvent } from "../events/run-event.ts";
import type { Meaning } from "../events/meaning.ts";

/** A tool call, as the host made it but for what was redacted. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

/** A tool's result, redacted and not yet cut: an object with an exit code is still an object here. */
export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied";
  readonly output: unknown;
  readonly exitCode?: number;
}

/** Gives meaning to tool calls once, when they are recorded. Its answers are stored; replay never asks it again. */
export interface Interpreter {
  readonly name: string;
  readonly version?: string;
  /**
   * The meaning of a call, or of a call with its result; `undefined` when it is not its business. With a result,
   * `before` is what all interpreters made of the same call when it was requested.
   */
  readonly interpret: (call: ToolCall, result?: ToolResult, before?: Meaning) => Meaning | undefined;
  /** Refills a bounded memory from a stored event when a run is resumed. */
  readonly recall?: (event: RunEvent) => void;
  /** Returns its memory for a snapshot: plain objects, lists, maps and sets. */
  readonly save?: () => unknown;
  /** Takes the memory of a snapshot in place of its own. */
  readonly load?: (memory: unknown) => void;
}

/** An interpreter, or what makes one for each run when it keeps a memory. */
export type InterpreterSource = Interpreter | (() => Interpreter);

/** Merges meanings: the first interpreter that gives a field wins. "other" gives way to a better answer. */
export function mergeMeanings(first: Meaning, second: Meaning): Meaning {
  const merged = { ...second, ...first };
  return first.activity === "other" && second.activity !== undefined
    ? { ...merged, activity: second.activity }
    : merged;
}
