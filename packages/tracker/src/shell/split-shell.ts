import type { ShellCommand, ShellLine } from "./parse-shell.ts";

const MAX_COMMANDS = 64;
const MAX_WORDS = 64;

/**
 * Takes a command line apart without understanding it: for what the parser cannot read in time. Quotes and separators
 * are seen, nothing else; no exit code is trusted.
 */
export function splitShell(line: string): ShellLine {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let piped = false;
  const close = (separator: string): void => {
    if (words.length > 0 && commands.length < MAX_COMMANDS) commands.push({ words, writes: [], input: undefined, piped, decides: false });
    words = [];
    piped = separator === "|";
  };
  for (const [, quoted, plain, separator] of line.matchAll(/("(?:[^"\\]|\\.)*"|'[^']*')|([^\s|&;<>(){}"'`]+)|(\|\||&&|[|&;\n(){}`])/g)) {
    if (separator !== undefined) close(separator);
    else if (words.length < MAX_WORDS) words.push(quoted === undefined ? (plain ?? "") : quoted.slice(1, -1));
  }
  close(";");
  return { commands, printsStatus: false };
}
