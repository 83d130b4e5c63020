import { defined } from "@phasekit/core/adapter";
import { taskActivity } from "../programs/classify-task.ts";
import { PROGRAMS } from "../programs/program-table.ts";
import { plainText } from "../tests/plain-text.ts";
import { readTestOutput } from "../tests/read-test-output.ts";
import { runnersIn } from "../tests/runners-in.ts";
import { anyOf } from "../patterns.ts";
import { wordSet } from "../word-table.ts";

/** The checks inside a commit or a push, as the output shows them. */
export interface HookReading {
  /** Whether the hooks let it pass; `undefined` if the output does not tell. */
  readonly passed: boolean | undefined;
  readonly includes: readonly ("test" | "build" | "types" | "lint")[];
  /** Tests among them, as their runner counts them. */
  readonly tests?: { readonly runner?: string; readonly passed?: number; readonly failed?: number };
}

const EDGE = 16_384;

/** Words of the programs that run hooks: lint-staged, pre-commit, prek, lefthook, husky, overcommit, npm scripts. */
const SIGNS = anyOf(
  "m",
  /^\[(?:STARTED|COMPLETED|FAILED)\] /,
  /^(?:✔|✖|❯|⚠) .*(?:staged files|lint-staged|tasks? for)/,
  /(?<!\.)\.{3,200}(?:\([^)\n]{1,80}\))?(?:Passed|Failed|Skipped)$/,
  /^(?:🥊|╭|│ {2}🥊) ?.*lefthook/,
  /^(?:┃|summary: \(done in)/,
  /^husky - /,
  /^Running (?:hooks|pre-commit|pre-push|tasks) /,
  /^(?:pre-commit|pre-push|commit-msg)(?: hook)?\b/,
  /^\$ (?:\w+=\S+ )*[\w./@-]+/,
  /^> [\w@./-]{1,200} [\w:-]{1,80}$/,
);
const REFUSED = anyOf(
  "m",
  /^\[FAILED\] /,
  /(?<!\.)\.{3,200}(?:\([^)\n]{1,80}\))?Failed$/,
  /^husky - .*(?:failed|exited with code [1-9])/,
  /^✖ .*(?:staged files|lint-staged)/,
  /^FAILED: git /m,
  /^error: failed to push some refs/,
  /\bhook (?:failed|declined)/,
);
/** A commit or a push that was made. */
const MADE = anyOf(
  "m",
  /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] /,
  /^ {2,}(?:[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,}|\* \[new branch\]) /,
);
/** Git's own words after hooks that passed: there was nothing to put into the commit. */
const EMPTY = /^(?:nothing (?:added )?to commit|no changes added to commit)\b/m;
const SUBJECT = /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] .*$/gm;
/** Names of tasks and programs that a hook shows. */
const NAMED = anyOf(
  "gm",
  /^\[(?:STARTED|COMPLETED|FAILED)\] ([\w@./-]+(?: [\w:.-]+)?)/,
  /^([\w@ /:-]{1,80})\.{3,200}(?:\([^)\n]{1,80}\))?(?:Passed|Failed)$/,
  /^[$>] ([\w@./-]+(?: [\w:.-]+){0,2})/,
  /^(?:✔️?|🥊|┃) +([\w@./:-]+)/,
);
const MAX_NAMES = 64;

/** Reads the checks of a commit or a push; `undefined` if its output shows no hooks. */
export function readHook(output: string, exitCode: number | undefined): HookReading | undefined {
  const plain = plainText(output);
  const text = plain.length > 2 * EDGE ? `${plain.slice(0, EDGE)}\n${plain.slice(-EDGE)}` : plain;
  const tests = testsIn(text);
  if (tests === undefined && !SIGNS.test(text)) return undefined;
  const includes = new Set<"test" | "build" | "types" | "lint">();
  let names = 0;
  for (const match of text.matchAll(NAMED)) {
    const name = match.slice(1).find((group: string | undefined) => group !== undefined) ?? "";
    const kind = kindOfName(name);
    if (kind !== undefined) includes.add(kind);
    names += 1;
    if (names >= MAX_NAMES) break;
  }
  if (tests !== undefined) includes.add("test");
  if (includes.size === 0 && !HOOK_TOOLS.test(text)) return undefined;
  const refused = REFUSED.test(text);
  return {
    passed: refused
      ? false
      : MADE.test(text) || EMPTY.test(text) || exitCode === 0
        ? true
        : exitCode === undefined
          ? undefined
          : false,
    includes: [...includes],
    ...(tests !== undefined && { tests }),
  };
}

/** The tests a hook ran: a runner's own numbers, and not the words of the commit itself. */
function testsIn(text: string): HookReading["tests"] {
  const printed = text.replace(SUBJECT, "");
  if (printed.trim() === "" || runnersIn(printed).length === 0) return undefined;
  const { runner, passed, failed } = readTestOutput({ output: printed, trusted: false });
  if (runner === undefined || (passed ?? 0) + (failed ?? 0) === 0) return undefined;
  return defined({ runner, passed, failed });
}

/** Programs that do nothing but run hooks: what they ran is a check, whatever its name. */
const HOOK_TOOLS = /lefthook|husky|lint-staged|Running tasks for staged files|(?<!\.)\.{3,200}(?:Passed|Failed)$/m;
const TYPES = wordSet("tsc tsgo vue-tsc typecheck type-check types mypy pyright basedpyright");
const LINTERS: ReadonlySet<string> = wordSet(`${PROGRAMS.lint ?? ""} markdownlint prettier`);
const TESTERS: ReadonlySet<string> = wordSet(PROGRAMS.test ?? "");

const KINDS = ["test", "build", "lint"] as const;

function kindOfName(name: string): "test" | "build" | "types" | "lint" | undefined {
  const words = name.toLowerCase().split(/[\s/]+/);
  if (words.some((word) => TYPES.has(word))) return "types";
  if (words.some((word) => TESTERS.has(word))) return "test";
  if (words.some((word) => LINTERS.has(word))) return "lint";
  const activity = taskActivity(name);
  return KINDS.find((kind) => kind === activity);
}
