import { quote } from "@phasekit/core/adapter";
import type { RunStory } from "./run-story.ts";
import { shortPaths } from "../words/short-paths.ts";
import { plural } from "../words/numbers.ts";

/** The grade of the evidence behind the work, and the reason for it. Contains foreign text: file names. */
export interface Verification {
  readonly verdict: "yes" | "weak" | "no" | "unneeded" | "unknown";
  /** Absent if nothing was to be verified, or nothing is known. */
  readonly grade?: "proven" | "supported" | "weak" | "claimed";
  readonly text: string;
}

/** Grades the work of a run in one sentence: by what checked it after its last change, however the run ended. */
export function verificationOf({ reason, verified, evidence, gates, work, calls }: RunStory): Verification {
  const { grade, problem } = work.evidence;
  // Gates of a host's own know what the calls do not show.
  const other = gates.find(({ verdict, gate }) => verdict === "fail" && !OWN_GATES.has(gate));
  if (other !== undefined) return { verdict: "no", grade: "claimed", text: `${other.gate}: ${other.text ?? ""}` };
  if (verified === true && (grade === "not-needed" || grade === "claimed") && evidence !== undefined)
    return {
      verdict: "yes",
      grade: evidence.grade === "proven" ? "proven" : "supported",
      text: evidence.why,
    };
  // A call that could not be read may have edited files, and so may an unknown tool.
  if (work.files === 0 && work.unread > 0 && gates.some(({ verdict }) => verdict === "fail"))
    return { verdict: "no", grade: "claimed", text: objection(problem, work) };
  if (work.files === 0 && work.unread > 0)
    return { verdict: "unknown", text: `no edits seen, but ${unreadText(work, calls)}` };
  if (work.files === 0 && (work.unknown.changes > 0 || (work.unknown.calls > 0 && work.unknown.calls * 2 >= calls)))
    return { verdict: "unknown", text: `no edits seen, but ${unknownText(work, calls)}` };
  if (work.files === 0 && work.unread === 0)
    return {
      verdict: "unneeded",
      text: reason === "done" || reason === "done_unverified" ? "no edits seen, so nothing to test" : "no edits seen",
    };
  if (grade === "not-needed") return { verdict: "unneeded", text: work.evidence.text };
  // A run that was stopped has claimed nothing.
  const isClaim = reason === undefined ? gates.length > 0 : reason === "done" || reason === "done_unverified";
  if (grade === "claimed") return { verdict: "no", ...(isClaim && { grade }), text: objection(problem, work) };
  return { verdict: grade === "weak" ? "weak" : "yes", grade, text: withPlace(work) };
}

const OWN_GATES: ReadonlySet<string> = new Set(["tests-fresh", "claims-true", "fresh-tests", "claims-match"]);

/** Renders the verdict with its grade, for people: "yes, supported". */
export function verdictText({ verdict, grade }: Verification): string {
  if (verdict === "unneeded") return "not needed";
  return grade === undefined || grade === verdict ? verdict : `${verdict}, ${grade}`;
}

type Work = RunStory["work"];

const VERDICTS = { pass: "passed", fail: "failed", unknown: "has no clear result" } as const;

function objection(problem: Work["evidence"]["problem"], work: Work): string {
  switch (problem) {
    case "never-run":
      return `no test run seen after ${editText(work)}`;
    case "stale":
      return work.lastTest === undefined
        ? `no test run seen after ${editText(work)}`
        : work.lastTest.verdict === "fail"
          ? `the ${testText(work)}; ${editText(work)} came after it`
          : `${editText(work)} came after the ${testName(work)}`;
    case "failed":
      return work.evidence.check?.kind === "test" ? `the ${testText(work)}` : withPlace(work);
    case "no-result":
      return work.lastTest === undefined
        ? withPlace(work)
        : `the output of the last test run (call ${String(work.lastTest.call)}) shows no result`;
    case "unread":
      return "no test run seen after a call that could not be read and may have changed code";
    default:
      return withPlace(work);
  }
}

/** The sentence of the account, with the call it is about. */
function withPlace({ evidence: { text, check } }: Work): string {
  return check === undefined ? text : `${text.replace(/\.$/, "")} (call ${String(check.call)})`;
}

function unreadText({ unread }: Work, all: number): string {
  return `${String(unread)} of ${plural(all, "call")} could not be read`;
}

function unknownText({ unknown: { calls, tools } }: Work, all: number): string {
  const names = tools.map((tool) => quote(tool, { max: 24 })).join(", ");
  return `${String(calls)} of ${plural(all, "call")} used tools Phasekit does not know (${names})`;
}

function editText({ lastEdit, edits }: Work): string {
  if (lastEdit === undefined) return plural(edits, "edit");
  const file = lastEdit.file === undefined ? "" : `${shortPaths(lastEdit.file)}, `;
  return `the last edit (${file}call ${String(lastEdit.call)})`;
}

function testName({ lastTest }: Work): string {
  const { call = 0, runner } = lastTest ?? {};
  return `last test run (call ${String(call)}${runner === undefined ? "" : `, ${runner}`})`;
}

function testText(work: Work): string {
  const { verdict = "unknown", passed, failed } = work.lastTest ?? {};
  const counts = [
    passed === undefined ? "" : `${String(passed)} passed`,
    failed === undefined || failed === 0 ? "" : `${String(failed)} failed`,
  ]
    .filter((part) => part !== "")
    .join(", ");
  return `${testName(work)} ${VERDICTS[verdict]}${counts === "" ? "" : `: ${counts}`}`;
}
