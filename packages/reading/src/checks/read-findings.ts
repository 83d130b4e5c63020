import { plainText } from "../tests/plain-text.ts";
import { anyOf } from "../patterns.ts";

/** The result of a linter, a type checker or a build, as its own words tell it. */
export type Verdict = "pass" | "fail" | "unknown";

/** Characters at each end of an output that are looked at. */
const EDGE = 8192;

/** Lines a shell tool writes for an empty output, and the commands a package manager shows before it runs them. */
const NOT_OUTPUT = anyOf(
  "gm",
  /^\((?:\w+ completed with )?no output\)$/,
  /^(?:>|\$) .*$/,
  /^(?:Error: )?Exit code:? \d+$/,
  /^<(?:exited|shellId: \S+ completed) with exit code \d+>$/,
  /^\[?(?:The command|Command|Process) (?:finished|completed|exited) with (?:exit )?code \d+\.?\]?$/,
);

const FOUND = anyOf(
  "im",
  /(?<![\d.,])[1-9]\d* (?:errors?|error\(s\)|problems?|issues?|offenses?|violations?)\b(?! (?:fixed|\(0 errors))/,
  /\berrors?: [1-9]/,
  /\berror TS\d+: /,
  /^(?:\S+ )?(?:error(?:\[\w+\])?|fatal(?: error)?):? /,
  /: (?:fatal )?error: /,
  /^[\w@./\\+-]{1,200}\.\w{1,8}:\d+:\d+:? /,
  /^would reformat /,
  /^(?:\[warn\] )?Code style issues/,
  /\b(?:build failed|failed to compile|error during build|could not compile|compilation failed|task failed)\b/,
  /\bexit(?:ed)?(?: with)?(?: code| status):? [1-9]/,
  /^ ?(?:ELIFECYCLE|ERR_PNPM_\w+|npm ERR!)/,
);
/** Problems that are only warnings: eslint ends with 0. */
const ONLY_WARNINGS = /\(0 errors, \d+ warnings?/;
const NO_FILES = anyOf(
  "i",
  /\b(?:in|on|checked|linting:?|found) 0 (?:source )?file(?:s|\(s\))?/,
  /\bno (?:\w+ )?files? (?:to (?:lint|check)|match|found)/,
);
const CLEAN = anyOf(
  "i",
  /(?<![\d.,])0 (?:errors?|error\(s\)|problems?|issues?|offenses?)\b/,
  /\bno (?:\w+ )?(?:issues|problems|errors|offenses|violations)\b(?! found in 0)/,
  /\ball checks passed\b/,
  /\ball (?:matched |\d+ )?files (?:use|are|pass|formatted)/,
  /\b(?:build|compil\w+|bundl\w+)\b.{0,40}\b(?:success\w*|succeeded|complete[d!]?|finished)/,
  /\b(?:success\w*|succeeded)\b.{0,20}\b(?:built|compil\w+)/,
  /\bbuilt in [\d.]+ ?m?s/,
  /\bcompiled (?:successfully|with \d+ warnings?)/,
  /\bno fixes (?:applied|needed)/,
  /^\s*Finished `?(?:dev|release|test)/m,
);

/** Reads the words of a check whose exit code is not known. A check that prints nothing has found nothing. */
export function readFindings(output: string, { silent }: { readonly silent: boolean }): Verdict {
  const plain = plainText(output);
  const text = plain.length > 2 * EDGE ? `${plain.slice(0, EDGE)}\n${plain.slice(-EDGE)}` : plain;
  if (RUNNING.test(text)) return "unknown";
  if (isSilent(text)) return silent ? "pass" : "unknown";
  const lines = text.replace(PREFIX, "");
  if (FOUND.test(lines)) return ONLY_WARNINGS.test(lines) ? "pass" : "fail";
  if (NO_FILES.test(lines)) return "unknown";
  return CLEAN.test(lines) ? "pass" : "unknown";
}

/** A command that goes on: what it has printed so far is no result. */
const RUNNING = /^Process running with session ID|^Command (?:is )?running in (?:the )?background/m;

/** The name of a task or a package before each line. */
const PREFIX = /^\[[a-z0-9][\w:@/-]*\] /gm;

/** True if an output says nothing but which command ran. */
export function isSilent(text: string): boolean {
  return text.trim() === "" || text.replace(NOT_OUTPUT, "").trim() === "";
}
