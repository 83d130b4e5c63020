import type { TestMeaning } from "@phasekit/core";
import { ava } from "./ava.ts";
import { bunTest } from "./bun-test.ts";
import { cargo } from "./cargo.ts";
import { ctest } from "./ctest.ts";
import { cypress } from "./cypress.ts";
import { dotnet } from "./dotnet.ts";
import { goTest } from "./go-test.ts";
import { gradle } from "./gradle.ts";
import { jest } from "./jest.ts";
import { makeCheck } from "./make-check.ts";
import { maven } from "./maven.ts";
import { mocha } from "./mocha.ts";
import { nextest } from "./nextest.ts";
import { nodeTest } from "./node-test.ts";
import { phpunit } from "./phpunit.ts";
import { plainWords } from "./plain-words.ts";
import { playwright } from "./playwright.ts";
import { pytest } from "./pytest.ts";
import { rspec } from "./rspec.ts";
import { readWith, type TestCounts, type TestReader } from "./test-reader.ts";
import { tox } from "./tox.ts";
import { eslint, tsc } from "./type-checks.ts";
import { unittest } from "./unittest.ts";
import { vitest } from "./vitest.ts";

/** What is known about a finished test run or check. */
export interface TestRun {
  readonly output: string;
  /** The runner the command names, if it does. */
  readonly runner?: string | undefined;
  /** Type checkers, linters and builds are read as checks: no test runner is looked for in their output. @default "test" */
  readonly kind?: "test" | "check";
  /** The exit code, if anybody told. */
  readonly exitCode?: number | undefined;
  /** Whether the exit code is the runner's own: not behind a pipe or `|| true`. */
  readonly trusted: boolean;
  /** The host says that the call failed, without a code. */
  readonly failed?: boolean | undefined;
}

/** How it went, and where text and exit code disagree. */
export interface TestReading extends TestMeaning {
  /** The output says one thing and a trusted exit code another; the exit code was followed. */
  readonly conflict?: string;
}

// The order matters where one output contains another's: tox holds pytest, Cypress holds Mocha, make and mvn hold anything.
const READERS: readonly TestReader[] = [
  tox, cypress, jest, vitest, playwright, nextest, cargo, ava, nodeTest, pytest, unittest, goTest, maven, rspec, phpunit, dotnet, ctest, bunTest, mocha, gradle, makeCheck,
];
const CHECKS: readonly TestReader[] = [tsc, eslint];
const READERS_BY_RUNNER = new Map([...READERS, ...CHECKS].map((reader) => [reader.runner, reader]));
const ALIASES: Readonly<Record<string, string>> = {
  "py.test": "pytest", nosetests: "unittest", nose: "unittest", nose2: "unittest", tap: "node", tape: "node", gotestsum: "go", minitest: "rspec", pest: "phpunit", paratest: "phpunit", gmake: "make", deno: "bun", doctest: "unittest",
};

/** Characters of an output that are looked at: summaries stand at the end, what broke often at the beginning. */
const MAX_HEAD = 8192;
const MAX_TAIL = 32_768;

/**
 * Reads how a test run went: counts and failing names from the runner's own words, the verdict from a trusted exit code
 * and, without one, from those words. "No tests ran" is never a pass; some passed and some failed is a failure.
 */
export function readTestOutput({ output, runner, kind = "test", exitCode, trusted, failed = false }: TestRun): TestReading {
  const text = toPlainText(output);
  const found = kind === "check" ? checkCounts(text) : findCounts(text, runner);
  const counts = found?.counts;
  const said = verdictOf(counts);
  const code = trusted ? (exitCode ?? (failed ? 1 : undefined)) : undefined;
  const verdict = decide({ said, code, counts, text });
  const conflict = (said === "pass" && verdict === "fail") || (said === "fail" && verdict === "pass");
  const name = found?.runner ?? runner;
  return {
    verdict,
    ...(name !== undefined && name !== "unknown" && { runner: name }),
    ...(counts?.passed !== undefined && { passed: counts.passed }),
    ...(counts?.failed !== undefined && { failed: counts.failed }),
    ...(counts?.skipped !== undefined && { skipped: counts.skipped }),
    ...(counts?.failing !== undefined && verdict === "fail" && { failing: [...counts.failing] }),
    trusted: code !== undefined,
    ...(conflict && { conflict: `The output says ${said}, the exit code is ${String(exitCode ?? "an error")}.` }),
  };
}

function decide({ said, code, counts, text }: { readonly said: TestMeaning["verdict"]; readonly code: number | undefined; readonly counts: TestCounts | undefined; readonly text: string }): TestMeaning["verdict"] {
  if (counts?.none === true) return "unknown";
  if (code === undefined) return said;
  if (code === 0) return "pass";
  // The runner was never reached, so this is no result of a test.
  if (said === "unknown" && (code === 126 || code === 127 || NEVER_RAN.test(text))) return "unknown";
  return "fail";
}

const NEVER_RAN =
  /(?:command not found|: not found|No such file or directory|not recognized as an internal or external command|npm (?:error|ERR!) Missing script|Command "[^"]+" not found|error: Missing script|ERR_PNPM_NO_SCRIPT|ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL|No module named (?:pytest|nose|tox|unittest)|[Cc]ommand timed out|timed out after)/;

function verdictOf(counts: TestCounts | undefined): TestMeaning["verdict"] {
  if (counts === undefined || counts.none === true) return "unknown";
  if (counts.broken === true || (counts.failed ?? 0) > 0) return "fail";
  if (counts.partial === true) return "unknown";
  return (counts.passed ?? 0) > 0 ? "pass" : "unknown";
}

function checkCounts(text: string): { readonly counts: TestCounts; readonly runner: string } | undefined {
  for (const reader of CHECKS) {
    const counts = readWith(reader, text);
    if (counts !== undefined) return { counts, runner: reader.runner };
  }
  return undefined;
}

function findCounts(text: string, runner: string | undefined): { readonly counts: TestCounts; readonly runner: string } | undefined {
  const own = runner === undefined ? undefined : READERS_BY_RUNNER.get(ALIASES[runner] ?? runner);
  if (text === "") return undefined;
  const first = own === undefined ? undefined : readWith(own, text);
  // `make` and `tox` only start other runners: what those print says more than an error line.
  if (own !== undefined && first !== undefined && own !== makeCheck) return { counts: first, runner: own.runner };
  if (own === tsc || own === eslint) return undefined;
  for (const reader of READERS) {
    if (reader === own) continue;
    const counts = readWith(reader, text);
    if (counts !== undefined) return { counts, runner: reader.runner };
  }
  if (first !== undefined && own !== undefined) return { counts: first, runner: own.runner };
  const counts = plainWords.read(text);
  return counts === undefined ? undefined : { counts, runner: plainWords.runner };
}

/** Without colours and carriage returns, and no longer than is worth reading. */
function toPlainText(output: string): string {
  const kept = output.length <= MAX_HEAD + MAX_TAIL ? output : `${output.slice(0, MAX_HEAD)}\n${output.slice(-MAX_TAIL)}`;
  // eslint-disable-next-line no-control-regex -- colours begin with the escape character
  const plain = kept.includes("\x1b") ? kept.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "") : kept;
  return plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
}
