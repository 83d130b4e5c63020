import type { Activity } from "@phasekit/core";
import { readSkill } from "../agents/openhands.ts";
import { readInlineCode } from "./inline-code.ts";

/** A piece of code that runs in a notebook or interpreter of the agent. */
export interface CodeReading {
  readonly activity: Activity;
  readonly targets: readonly string[];
  /** True if it makes a new file. */
  readonly creates?: boolean;
  /** The command line inside it, when it only starts a shell. */
  readonly shell?: string;
}

const MAX_HEAD = 4096;

/** Reads a cell: shell escapes are command lines; the agent's own functions and other code say what they do. */
export function readCode(code: string): CodeReading {
  const text = code.slice(0, MAX_HEAD).trim();
  if (text.startsWith("!")) return { activity: "run", targets: [], shell: text.slice(1) };
  if (/^%%(?:ba)?sh\b/.test(text)) return { activity: "run", targets: [], shell: text.slice(text.indexOf("\n") + 1) };
  return readSkill(text) ?? readInlineCode(code);
}
