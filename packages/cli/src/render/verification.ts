import { quote } from "@phasekit/core/kit";
import type { RunStory } from "../story/run-story.ts";
import { shortPaths } from "../clean-text.ts";
import { plural } from "./numbers.ts";

/** The grade of the evidence behind a "done", and the reason for it. Contains foreign text: file names. */
export interface Verification {
  readonly verdict: "yes" | "no" | "unneeded" | "unknown";
  /** Absent if the agent did not say it was done, nothing was to be verified, or nothing is known. */
  readonly grade?: "proven" | "supported" | "claimed";
  readonly text: string;
}

/** Grades the end of a run in one sentence. */
export function verificationOf({ reason, verified, evidence, gates, work, calls }: RunStory): Verification {
  const first = gates.find(({ verdict }) => verdict === "fail");
  if (first !== undefined) return { verdict: "no", grade: "claimed", text: objection(first, work) };
  if (verified === true)
    return {
      verdict: "yes",
      // Logs of earlier versions have verdicts without sentences.
      grade: evidence?.grade === "proven" ? "proven" : "supported",
      text: withPlace(evidence?.why ?? "the host says so", work),
    };
  // A run that was stopped is not verified, whatever it changed.
  if (reason !== undefined && reason !== "done" && reason !== "done_unverified")
    return { verdict: "no", text: `the run did not end as done; ${lastCheck(work)}` };
  // A call that could not be read may have edited files, and so may an unknown tool.
  if (work.edits === 0 && work.unread > 0)
    return { verdict: "unknown", text: `no edits seen, but ${unreadText(work, calls)}` };
  if (work.edits === 0 && (work.unknown.changes > 0 || (work.unknown.calls > 0 && work.unknown.calls * 2 >= calls)))
    return { verdict: "unknown", text: `no edits seen, but ${unknownText(work, calls)}` };
  if (work.edits === 0)
    return {
      verdict: "unneeded",
      text: reason === undefined ? "no edits seen" : "no edits seen, so nothing to test",
    };
  if (evidence?.grade === "not-needed") return { verdict: "unneeded", text: evidence.why };
  if (work.lastTest === undefined) return { verdict: "no", grade: "claimed", text: neverTested(work) };
  return { verdict: "unknown", text: `${testText(work)}; the run ended before its gates were checked` };
}

/** The last check of a run that was stopped. */
function lastCheck(work: Work): string {
  if (work.edits === 0) return work.unread > 0 ? "no edits seen, but not every call could be read" : "no edits seen";
  return work.lastTest === undefined ? neverTested(work) : `the ${testText(work)}`;
}

/** Renders the verdict with its grade, for people: "yes, supported". */
export function verdictText({ verdict, grade }: Verification): string {
  if (verdict === "unneeded") return "not needed";
  return grade === undefined ? verdict : `${verdict}, ${grade}`;
}

type Work = RunStory["work"];

const VERDICTS = { pass: "passed", fail: "failed", unknown: "has no clear result" } as const;

function objection({ gate, text = "", problem }: RunStory["gates"][number], work: Work): string {
  switch (gate === "fresh-tests" ? problem : undefined) {
    case "never-run":
      return neverTested(work);
    case "stale":
      return `${editText(work)} came after the ${testName(work)}`;
    case "failed":
      return (work.lastEdit?.call ?? 0) > (work.lastTest?.call ?? 0)
        ? `the ${testText(work)}; ${editText(work)} came after it`
        : `the ${testText(work)}`;
    case "no-result":
      return `the output of the last test run (call ${String(work.lastTest?.call ?? 0)}) shows no result`;
    case "unread":
      return "no test run seen after a call that could not be read and may have changed code";
    default:
      return `${gate}: ${text}`;
  }
}

/** The sentence of the gates, with the calls it is about. */
function withPlace(why: string, work: Work): string {
  const { lastTest, tryOut } = work;
  const place = lastTest !== undefined && lastTest.call > (work.lastEdit?.call ?? 0) ? lastTest : tryOut;
  return place === undefined ? why : `${why.replace(/\.$/, "")} (call ${String(place.call)})`;
}

/** Only tests count as evidence; other checks are mentioned. */
function neverTested(work: Work): string {
  return work.tryOut === undefined
    ? `no test run seen after ${editText(work)}`
    : `no test run seen; after ${editText(work)} ${tryOutText(work.tryOut)}`;
}

function unreadText({ unread }: Work, all: number): string {
  return `${String(unread)} of ${plural(all, "call")} could not be read`;
}

function unknownText({ unknown: { calls, tools } }: Work, all: number): string {
  const names = tools.map((tool) => quote(tool, { max: 24 })).join(", ");
  return `${String(calls)} of ${plural(all, "call")} used tools Phasekit does not know (${names})`;
}

function tryOutText({ call, what, verdict, runner }: NonNullable<Work["tryOut"]>): string {
  const place = `call ${String(call)}${runner === undefined ? "" : `, ${runner}`}`;
  if (what === "run") return `a program was run (${place})${verdict === "fail" ? " and failed" : ""}`;
  return `the ${what} ${VERDICTS[verdict]} (${place})`;
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
