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
  const shell = shellOfCell(text);
  if (shell !== undefined) return { activity: "run", targets: [], shell };
  return readSkill(text) ?? readInlineCode(code);
}

// Magics of IPython that are commands of a shell.
const SHELL_MAGIC = /^%(?=(?:cat|cd|conda|cp|ls|mkdir|mv|pip|pwd|rm|rmdir)(?:\s|$))/;

/** The command line in a cell of a notebook: `!make`, `%cd src`, `%%bash`. `undefined` for code. */
export function shellOfCell(cell: string): string | undefined {
  const text = cell.trimStart();
  // In a shell, `! make` turns the exit code around.
  if (/^![^\s=]/.test(text) || SHELL_MAGIC.test(text))
    return text.replace(/^[ \t]*!(?=\S)/gm, "").replace(SHELL_MAGIC, "");
  return /^%%(?:ba)?sh\b/.test(text) ? text.slice(text.indexOf("\n") + 1) : undefined;
}
