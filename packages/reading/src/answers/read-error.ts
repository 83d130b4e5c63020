import type { NotedError } from "@phasekit/core/account";
import { anyOf } from "../patterns.ts";
import { MISSING_PROGRAM } from "./missing-program.ts";

type Cause = NonNullable<NotedError["cause"]>;

/** Ways programs name an obstacle. The first group is what it is about. */
const CAUSES: readonly (readonly [cause: Cause, says: RegExp])[] = [
  [
    "ambiguous",
    anyOf(
      "i",
      /\bmultiple occurrences of\b|\b(?:found|there are) (?:\d+|multiple) (?:matches|occurrences)\b/,
      /\bis not unique\b|\bmatches (?:more than one|multiple) (?:place|location|occurrence)/,
    ),
  ],
  [
    "same-text",
    anyOf("i", /\b(?:new|old)_?str(?:ing)?\b.{0,40}\b(?:must be different|are (?:exactly )?the same|are identical)\b/),
  ],
  [
    "old-text",
    anyOf(
      "i",
      /no replacement was performed|string (?:to replace|not found)|did not appear verbatim/,
      /old_str(?:ing)?\b.{0,80}not found|failed to find expected lines|hunk #?\d* ?failed|patch does not apply/,
      /search block.{0,40}not (?:found|match)|could not find the (?:following )?(?:lines|text|context)/,
    ),
  ],
  ...MISSING_PROGRAM.map((says) => ["program", says] as const),
  ["syntax", /\bproposed edit has introduced new syntax error/i],
  ["quoting", /\bunexpected EOF while looking for matching\b|\bunterminated (?:quoted )?string\b|\bunmatched ['"`]/i],
  ["quoting", /\bsyntax error near unexpected token\b/],
  [
    "format",
    anyOf(
      "i",
      /\bnot provided in the correct format\b|\bparameter [`'"]?\w+[`'"]? is required\b/,
      /\bmissing (?:a )?required (?:parameter|argument)\b/,
      /\b(?:invalid|malformed) (?:tool call|function call|json|arguments?)\b/,
      /\bcould not parse (?:the )?(?:call|arguments|json|action)\b/,
    ),
  ],
  ["path", /\bCannot find module '(\.{0,2}\/[^'\n]{1,200}|[^'\n]{1,200}\.[cm]?[jt]sx?)'/],
  ["module", /\b(?:No module named|Cannot find (?:module|package)) '?([\w@./-]{1,120})/],
  ["read-only", /\bread-only file system\b/i],
  ["disk", /\bno space left on device\b|\bENOSPC\b|\bdisk quota exceeded\b/i],
  [
    "network",
    anyOf(
      "i",
      /\bcould not resolve host\b|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b/,
      /\bname resolution\b|\bnetwork is unreachable\b/,
    ),
  ],
  ["path", /\bENOENT\b[^\n']{0,80}'([^'\n]{1,200})'/],
  ["path", /\bNo such file or directory: '([^'\n]{1,200})'/],
  ["path", /(?:cannot (?:access|stat|open)|can't (?:open file|read)) '?([^':\n]{1,200})'?: .{0,40}No such file/],
  ["path", /(?:^|[\s:])([^\s:'"]{1,200}): No such file or directory/m],
  [
    "path",
    /\b(?:file(?: name)?|path|directory):? [`'"]?([^\s`'"]{1,200}?)[`'"]? (?:does not exist|(?:was )?not found)/i,
  ],
  ["permission", /\bpermission denied\b|\b(?:EACCES|EPERM)\b|\boperation not permitted\b/i],
  [
    "input",
    anyOf(
      "i",
      /\bEOF when reading a line\b|\b(?:stdin|standard input|input) is not a (?:tty|terminal)\b/,
      /\binappropriate ioctl for device\b|\[y\/n\]:?\s*$|\((?:y\/n|yes\/no)\)\??\s*$/,
      /\b(?:password|passphrase)[^\n]{0,60}:\s*$/,
    ),
  ],
  ["filter", /\bno tests (?:ran|found|to run)\b|\bno test files? found\b|\bcollected 0 items\b|\bno tests? match/i],
];

/** As much of an answer as is read for its error: its beginning and its end. */
const MAX_READ = 8000;
const MAX_LINE = 160;
const MAX_FILES = 8;

/**
 * Reads the error in the answer of a call that failed: its telling line, its cause, and the files it names. `asked` is
 * what the call sent.
 */
export function readError(text: string, asked = ""): NotedError | undefined {
  const shown = text.length > MAX_READ ? `${text.slice(0, MAX_READ / 2)}\n${text.slice(-MAX_READ / 2)}` : text;
  const line = tellingLine(shown);
  if (line === undefined) return undefined;
  const files = filesIn(shown);
  if (isProse(asked)) return { line, cause: "prose" };
  for (const [cause, says] of CAUSES) {
    const found = says.exec(shown);
    if (found !== null && !(cause === "program" && isTornWord(found[1], asked)))
      return { line, cause, ...(found[1] !== undefined && { subject: found[1] }), ...(files.length > 0 && { files }) };
  }
  return { line, ...(files.length > 0 && { files }) };
}

/** True if a shell took a piece of a text of several lines for a program. */
function isTornWord(program = "", asked: string): boolean {
  if (!asked.includes("\n") || !asked.includes(program)) return false;
  return !asked.split(/[^\w./+-]+/).includes(program);
}

/** A sentence that was sent where a command belongs: words and their punctuation, and none of a shell's signs. */
function isProse(asked: string): boolean {
  const text = asked.slice(0, 1000).trim();
  if (!/^[A-Z][A-Za-z']*[\s,]/.test(text) || !/[a-z][.,!?](?:\s|$)/.test(text) || /[|;&$<>=`{}]|\s-{1,2}\w/.test(text))
    return false;
  const words = text.split(/\s+/);
  return (
    words.length > 4 &&
    words.filter((word) => /^["'(]?[A-Za-z'’-]+[.,:!?)"']*$/.test(word)).length * 5 > words.length * 4
  );
}

/** Lines that only say that something failed, where it was, or where to read about it. */
const BOILERPLATE = anyOf(
  "i",
  /^(?:at |File "|Traceback |node:internal|\s*\^+\s*$|throw |ELIFECYCLE|exit code|Node\.js v\d|make: \*\*\*)/,
  /^npm (?:ERR!|error) (?:code|errno|A complete|path|command|Lifecycle|Exit|in |workspace|location|\/|$)/,
  /^(?:\[Command finished|\[Python Interpreter|\[Current working|<\/?[a-z_]+>$|error Command failed|\d+ \| |\| )/,
);
/** A word or three before a colon: what comes next says more. */
const HEADING = /^(?:\S+ ){0,3}\S*:$/;
const TELLS = anyOf(
  "",
  /\b(?:\w*(?:Error|Exception)|error|fatal|failed|cannot|can't|could not|unable|denied|refused)\b/,
  /\b(?:not found|no such|invalid|undefined|unexpected|missing)\b/,
);

/** The line of an answer that says most: the error itself, and not the frame around it. */
function tellingLine(text: string): string | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^(?:npm (?:ERR!|error)|E {2,}|bash: line \d+:|\/bin\/\w*sh:)\s*/, "").trim())
    .filter((line) => line !== "" && !BOILERPLATE.test(line));
  // The last line of a traceback is its error; elsewhere the first error is the cause of the others.
  const found = text.includes("Traceback (most recent call last)")
    ? lines.findLast((line) => /^[\w.]+(?:Error|Exception|Warning|Interrupt|Exit)\b/.test(line))
    : lines.find((line) => TELLS.test(line) && !HEADING.test(line));
  const line = found ?? lines.find((each) => !HEADING.test(each)) ?? lines[0];
  return line === undefined || line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

const FRAMES =
  /\bFile "([^"\n]{1,300})", line \d+|\(((?:file:\/\/)?\/[^()\n]{1,300}):\d+:\d+\)|\bat (\/[^\s:]{1,300}):\d+:\d+/g;

/** The files of a traceback, the innermost last in Python and first elsewhere. */
function filesIn(text: string): readonly string[] {
  const files = new Set<string>();
  for (const [, python, inner, plain] of text.matchAll(FRAMES)) {
    const file = (python ?? inner ?? plain ?? "").replace(/^file:\/\//, "");
    if (!/^<|\/node_modules\/|\bnode:|\/lib\/python|site-packages/.test(file)) files.add(file);
    if (files.size >= MAX_FILES) break;
  }
  return [...files];
}
