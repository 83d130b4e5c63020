import { words } from "@phasekit/ledger/story";
import type { CheckedRun, CheckedRuns } from "../check/check-runs.ts";
import type { CheckRules } from "../check/check-rules.ts";
import type { GateResult } from "../check/check-story.ts";
import { cleanText } from "../clean-text.ts";
import { isFailed, oneRun, resultOf } from "./check-lines.ts";
import { percent, plural } from "./numbers.ts";
import { titleOfRun } from "./run-title.ts";
import { shortId } from "./short-id.ts";

/** A summary of a job holds 1 MB. */
const MAX_ROWS = 200;

/** Renders the result of a check as Markdown for the summary of a GitHub job. */
export function stepSummary(checked: CheckedRuns, { config, reason }: CheckRules): string {
  const one = oneRun(checked);
  if (one !== undefined) return summaryOfOne(one, { config, reason });
  const failed = checked.runs.filter(isFailed);
  const rows = [...failed, ...checked.runs.filter((run) => !isFailed(run))];
  return [
    `### Phasekit: ${plural(rows.length, "run")}, ${String(failed.length)} failed`,
    "",
    "| Result | Run | Title | End | Failed gates |",
    "| --- | --- | --- | --- | --- |",
    ...rows.slice(0, MAX_ROWS).map((run) => {
      const why = run.gates.flatMap(({ gate, verdict, text }) => (verdict === "FAIL" ? [`${gate}: ${text}`] : []));
      const cells = [shortId(run.reading.about.id), titleOfRun(run.reading), run.end.word, why.join("; ")];
      return `| ${resultOf(run)} | ${cells.map(escape).join(" | ")} |`;
    }),
    ...checked.unreadable.map(({ path, message }) => `| FAIL | ${escape(path)} | | not read | ${escape(message)} |`),
    ...config.map(({ gate, verdict, text }) => `| ${verdict} | ${escape(gate)} | | | ${escape(text)} |`),
    "",
    ...(rows.length > MAX_ROWS ? [`And ${plural(rows.length - MAX_ROWS, "more run")}.`, ""] : []),
    "",
  ].join("\n");
}

function summaryOfOne(
  { reading: { about, story }, title, end, gates }: CheckedRun,
  { config, reason }: { readonly config: readonly GateResult[]; readonly reason: string | undefined },
): string {
  const waiver = ` (waived: ${escape(reason ?? "")})`;
  const rows = [...gates, ...config].map(
    ({ gate, verdict, text }) =>
      `| ${escape(gate)} | ${verdict} | ${escape(text)}${verdict === "WAIVED" ? waiver : ""} |`,
  );
  const phases = story.phases.map(({ phase, share }) => `${escape(phase)} ${percent(share)}`).join(", ");
  const usage = [
    plural(story.turns, "turn"),
    plural(story.calls, "call"),
    words.tokenText(story) === undefined ? "tokens unknown" : `${words.tokenText(story) ?? ""} tokens`,
  ].join(", ");
  return [
    `### Phasekit: ${escape(title)} ${escape(about.id)}`,
    "",
    `${usage}${phases === "" ? "" : ` — ${phases}`}. Ended: \`${end.word}\`.`,
    "",
    "| Gate | Verdict | Evidence |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "",
  ].join("\n");
}

/** Escapes foreign text for Markdown. */
function escape(text: string): string {
  return cleanText(text).replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (character) => `&#${String(character.codePointAt(0))};`);
}
