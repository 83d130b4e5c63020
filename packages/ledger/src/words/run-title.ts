import { quote } from "@phasekit/core/adapter";

/** More of a prompt is never read: a plan may be pages long. */
const MAX_READ = 4000;
/** A block that a host adds to a prompt: `<system-reminder>…</system-reminder>`. Its name has two words or more. */
const ADDED = /<([a-z]+(?:[-_][a-z]+)+|INSTRUCTIONS)(?:\s[^<>]*)?>[\s\S]*?(?:<\/\1>|$)/g;
/** The line above instructions that a host adds to a prompt. */
const ADDED_HEAD = /^#?\s*AGENTS\.md instructions for .*$/gm;
/** The words before a plan that an agent made itself. */
const BEFORE_PLAN = /^\s*implement the following plan:?\s*/i;
const MARK = /^[\s#>*=_-]*(?:plan:\s*)?/i;
/** A command of the tool, such as "/review", and not a prompt. A path has a second slash. */
const COMMAND = /^\/[\w:-]+$/;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Returns the title that a prompt gives its run: its first line, without what hosts add to prompts, headings and
 * commands of the tool. `undefined` if nothing is left. Contains foreign text.
 */
export function titleOfPrompt(prompt: string, max = 120): string | undefined {
  const line = prompt
    .slice(0, MAX_READ)
    .replace(ADDED, "\n")
    .replace(ADDED_HEAD, "")
    .replace(BEFORE_PLAN, "")
    .split(/[\r\n]+/)
    .map((text) => text.replace(MARK, "").trim())
    .find((text) => WORD.test(text) && !COMMAND.test(text));
  return line === undefined
    ? undefined
    : quote(line, { max: max + 2 })
        .slice(1, -1)
        .replaceAll("‹", "<");
}
