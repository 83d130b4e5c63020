import { quote } from "@phasekit/core";
import type { RunStory } from "../story/run-story.ts";
import { shortPaths } from "../clean-text.ts";
import { plural } from "./numbers.ts";

/** Whether a "done" can be believed, and what says so. Holds foreign text: file names. */
export interface Verification {
  readonly verdict: "yes" | "no" | "unneeded" | "unknown";
  readonly text: string;
}

/** Says in one sentence whether the end of a run was verified. */
export function verificationOf({ reason, verified, gates, work, calls }: RunStory): Verification {
  const failed = gates.filter(({ verdict }) => verdict === "fail");
  const [first] = failed;
  if (first !== undefined) return { verdict: "no", text: objection(first, work) };
  if (verified === true) return { verdict: "yes", text: vouchers(gates, work) };
  // What a tool does that nobody knows cannot be ruled out.
  if (work.edits === 0 && work.unknown.calls > 0 && work.unknown.calls * 2 >= calls) return { verdict: "unknown", text: `no edit was seen, but ${unknownText(work, calls)}` };
  if (work.edits === 0) return { verdict: "unneeded", text: reason === "done" ? "no edit was seen, so nothing had to be tested" : "no edit was seen" };
  if (work.lastTest === undefined) return { verdict: "no", text: neverTested(work) };
  return { verdict: "unknown", text: `${testText(work)}; the run did not get to its gates` };
}

type Work = RunStory["work"];

function objection({ gate, text = "", problem }: RunStory["gates"][number], work: Work): string {
  switch (gate === "fresh-tests" ? problem : undefined) {
    case "never-run":
      return neverTested(work);
    case "stale":
      return `${editText(work)} came after the ${testName(work)}`;
    case "failed":
      return `the ${testText(work)}${(work.lastEdit?.call ?? 0) > (work.lastTest?.call ?? 0) ? `; ${editText(work)} came after it` : ""}`;
    case "no-result":
      return `the last test run (call ${String(work.lastTest?.call ?? 0)}) shows no result`;
    default:
      return `${gate}: ${text}`;
  }
}

function vouchers(gates: RunStory["gates"], work: Work): string {
  const asked = gates.map(({ gate, verdict }) => (verdict === "concerns" ? `${gate} (with concerns)` : gate)).join(", ");
  const tests = work.lastTest !== undefined ? `, ${testText(work)}` : work.tryOut !== undefined ? `; no tests, but after the last edit ${tryOutText(work.tryOut)}` : "";
  return asked === "" ? "by the host" : `by ${asked}${tests}`;
}

/** Tests are what counts; what else was tried is said, so that nobody takes it for nothing. */
function neverTested(work: Work): string {
  return work.tryOut === undefined ? `no test run was seen; ${editText(work)}` : `no test run was seen; after ${editText(work)} ${tryOutText(work.tryOut)}`;
}

function unknownText({ unknown: { calls, tools } }: Work, all: number): string {
  return `${String(calls)} of ${plural(all, "call")} used tools Phasekit does not know (${tools.map((tool) => quote(tool, { max: 24 })).join(", ")})`;
}

function tryOutText({ call, what, verdict, runner }: NonNullable<Work["tryOut"]>): string {
  const place = `call ${String(call)}${runner === undefined ? "" : `, ${runner}`}`;
  if (what === "run") return `a program was run (${place})${verdict === "fail" ? " and failed" : ""}`;
  return `the ${what} ${verdict === "pass" ? "passed" : verdict === "fail" ? "failed" : "has no clear result"} (${place})`;
}

function editText({ lastEdit, edits }: Work): string {
  if (lastEdit === undefined) return plural(edits, "edit");
  return `the last edit (${lastEdit.file === undefined ? "" : `${shortPaths(lastEdit.file)}, `}call ${String(lastEdit.call)})`;
}

function testName({ lastTest }: Work): string {
  const { call = 0, runner } = lastTest ?? {};
  return `last test run (call ${String(call)}${runner === undefined ? "" : `, ${runner}`})`;
}

function testText(work: Work): string {
  const { verdict = "unknown", passed, failed } = work.lastTest ?? {};
  const counts = [passed === undefined ? "" : `${String(passed)} passed`, failed === undefined || failed === 0 ? "" : `${String(failed)} failed`].filter((part) => part !== "").join(", ");
  const how = verdict === "pass" ? "passed" : verdict === "fail" ? "failed" : "has no clear result";
  return `${testName(work)} ${how}${counts === "" ? "" : `: ${counts}`}`;
}
