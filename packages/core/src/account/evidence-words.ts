import { tableOf } from "../text/table-of.ts";
import type { SeenCheck } from "./checks.ts";
import type { EvidenceProblem, WorkEvidence } from "./work-evidence.ts";
import type { Work } from "./work.ts";

/** Returns one sentence for people: what shows that the work is right, or what is missing. */
export function evidenceText(evidence: WorkEvidence, { files }: Pick<Work, "files">): string {
  const { grade, check, suite, later, problem } = evidence;
  if (grade === "not-needed") return notNeededText(files);
  if (problem !== undefined) return problemText(problem, evidence);
  if (check === undefined) return "Nothing checked the work.";
  const notes = [
    ...(check.trusted || check.kind === "run" || grade === "weak" ? [] : [hiddenText(check.hiddenBy)]),
    ...(suite === undefined ? [] : [`all tests${failing(suite)} did not run again${placeOf(suite)}`]),
    ...(later === undefined ? [] : [`${later.path} was changed after that`]),
  ];
  return `${passedText(check)}${notes.length === 0 ? "" : `, but ${notes.join(", and ")}`}.`;
}

function notNeededText(files: Work["files"]): string {
  if (files.size === 0) return "No edit was seen, so no test was needed.";
  const kinds = new Set([...files.values()].map(({ kind }) => kind));
  const only = kinds.size === 1 && kinds.has("data") ? "data" : "documents";
  return `Only ${only} ${only === "data" ? "was" : "were"} changed, so no test was needed.`;
}

function passedText(check: SeenCheck): string {
  const { kind, runner, passed } = check;
  const named = runner === undefined || /^tests?$/.test(runner) ? "" : ` (${runner})`;
  if (passed !== undefined) return `${plural(passed, "test")} passed after the last edit${named}`;
  if (kind === "test") return `The tests passed after the last edit${named}`;
  return `No test ran after the last edit, but ${checkWords(check)} passed`;
}

/** Names a check: "the build", "a linter". */
function checkWords({ kind, runner }: Pick<SeenCheck, "kind" | "runner">): string {
  const words = WORDS[kind] ?? "a check";
  return runner === undefined || kind === "run"
    ? kind === "run" && runner !== undefined
      ? `the check "${runner}"`
      : words
    : `${words} (${runner})`;
}

const WORDS: Readonly<Record<string, string>> = /* @__PURE__ */ tableOf({
  test: "the test run",
  build: "the build",
  types: "the type check",
  lint: "a linter",
  run: "a program",
  parse: "a parser",
  hook: "a hook",
  ci: "CI",
  review: "a review",
});

function hiddenText(hiddenBy: string | undefined): string {
  if (hiddenBy === undefined) return "the runner's exit code is not known";
  return hiddenBy.startsWith("| ")
    ? `the output went through \`${hiddenBy}\`, so the exit code is not trusted`
    : `the line continues with \`${hiddenBy}\`, so the exit code is not trusted`;
}

function problemText(problem: EvidenceProblem, { check, suite, change }: WorkEvidence): string {
  switch (problem) {
    case "never-run":
      return "No test ran after the last edit.";
    case "stale":
      if (check?.verdict === "fail" && check.kind === "test")
        return `The last test run failed${failing(check)}, and it was not run again.`;
      return "No test ran after the last edit.";
    case "failed":
      return check === undefined || check.kind === "test"
        ? `The last test run failed${check === undefined ? "" : failing(check)}.`
        : `No test ran after the last edit, and ${checkWords(check)} failed.`;
    case "not-started":
      return `No test ran: ${check === undefined ? "the check" : checkWords(check)} could not start.`;
    case "no-result":
      return check === undefined || check.kind === "test"
        ? "The last test run shows no result."
        : `No test ran after the last edit, and ${checkWords(check)} shows no result.`;
    case "unread":
      return "No test ran after a call that could not be read and may have changed code.";
    case "unrelated":
      return `Nothing that ran after the last edit reaches ${nameOf(change)}.`;
    case "red-suite":
      return `All tests failed after the last edit${suite === undefined ? "" : failing(suite)}, and only some of them passed later.`;
    case "lint-only":
      return `No test ran after the last edit, only ${check === undefined ? "a linter" : checkWords(check)}.`;
  }
}

const nameOf = (change: WorkEvidence["change"]): string =>
  change === undefined || change.path === "" ? "the changed files" : change.path;

const placeOf = ({ call }: SeenCheck): string => ` (call ${String(call)})`;

const failing = ({ failed = 0 }: Pick<SeenCheck, "failed">): string =>
  failed === 0 ? "" : ` (${String(failed)} failing)`;

const plural = (count: number, noun: string): string => `${String(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Returns the message for an agent that says it is done: what it changed, what is missing, what to do. */
export function missingText({ problem = "never-run", change, check, suite }: WorkEvidence): string {
  const file = change === undefined || change.path === "" ? "code" : change.path;
  switch (problem) {
    case "never-run":
      return `You changed ${file}, and nothing has checked it. Run the tests before you finish.`;
    case "stale":
      return `You changed ${file} after the ${lastRun(check)}. Run the tests again before you finish.`;
    case "failed":
      return `The ${lastRun(check)} failed. Fix the code and run it again, or say why it cannot be done.`;
    case "no-result":
      return (
        `The ${lastRun(check)} shows no result. Run the tests so that their summary and exit code can be seen: ` +
        "no pipe, no `|| true`."
      );
    case "not-started":
      return (
        `The ${lastRun(check)} could not start. Make it run, check the work another way, or say why it ` +
        "cannot be done."
      );
    case "unread":
      return "One of your calls could not be read, and it may have changed code. Run the tests before you finish.";
    case "unrelated":
      return `You changed ${file}, and nothing you ran after that reaches it. Run its tests before you finish.`;
    case "red-suite":
      return (
        `All tests failed after your last change${suite === undefined ? "" : ` (call ${String(suite.call)}${counted(suite)})`}` +
        ", and only some of them ran again. Fix what fails and run all of them, or say why it cannot be done."
      );
    case "lint-only":
      return (
        `You changed ${file}, and only ${check === undefined ? "a linter" : checkWords(check)} has looked at it. ` +
        "Run the tests or the program before you finish."
      );
  }
}

function lastRun(check: SeenCheck | undefined): string {
  if (check === undefined) return "last test run";
  const what = check.kind === "test" ? "last test run" : `last check, ${checkWords(check)}`;
  return `${what} (call ${String(check.call)}${counted(check)})`;
}

const counted = ({ failed = 0 }: SeenCheck): string => (failed === 0 ? "" : `, ${String(failed)} failing`);
