import { anyOf } from "../patterns.ts";

/** Characters of an output that are looked at: summaries are at the end, causes often at the beginning. */
const MAX_HEAD = 8192;
const MAX_TAIL = 32_768;

/** An output without colours and carriage returns, and no longer than is worth reading. */
export function plainText(output: string): string {
  const kept =
    output.length <= MAX_HEAD + MAX_TAIL ? output : `${output.slice(0, MAX_HEAD)}\n${output.slice(-MAX_TAIL)}`;
  // eslint-disable-next-line no-control-regex -- colours begin with the escape character
  const plain = kept.includes("\x1b") ? kept.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "") : kept;
  return plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
}

/** The output of tests without the names of workspaces, containers and times before each line. */
export function withoutPrefixes(text: string): string {
  return PREFIXED.test(text) ? text.replace(PREFIX, "") : text;
}

// `web:test: …` of turbo, `packages/web test: …` of pnpm, `web-1  | …` of docker compose, `[web] …` of concurrently,
// the time of a log on a build server. Only where a runner's own words follow.
const PREFIX = anyOf(
  "gm",
  /^\[[a-z0-9][\w:@/-]*\] /,
  /^(?!ok |FAILED )[\w@./-]+ +\| /,
  /^[\w@./-]+:[a-z][\w:-]*: ?/,
  /^[\w@./-]+ test[\w:-]*[:$] ?/,
  /^\d{4}-\d\d-\d\dT[\d:.]+Z /,
);
const PREFIXED = /[:|\]Z$] +(?:Test Files|Tests?\b|FAIL|PASS|ok\b|=+ |\d+ (?:pass|fail)|test result:|Ran \d)/;
