import { cleanText } from "../clean-text.ts";
import type { ToldRun } from "../logs/play-items.ts";
import type { GateResult } from "../story/check-story.ts";
import { percent, plural, tokens } from "./numbers.ts";

/** The result of a check as Markdown, for the summary of a GitHub job. */
export function stepSummary({ about, story }: ToldRun, { title, results, reason }: { readonly title: string; readonly results: readonly GateResult[]; readonly reason: string | undefined }): string {
  const rows = results.map(({ gate, verdict, text }) => `| ${escape(gate)} | ${verdict} | ${escape(text)}${verdict === "WAIVED" ? ` (waived: ${escape(reason ?? "")})` : ""} |`);
  const phases = story.phases.map(({ phase, share }) => `${escape(phase)} ${percent(share)}`).join(", ");
  return [
    `### Phasekit: ${escape(title)} ${escape(about.id)}`,
    "",
    `${plural(story.turns, "turn")}, ${plural(story.calls, "call")}, ${story.tokens === undefined ? "tokens unknown" : `${tokens(story.tokens)} tokens`}${phases === "" ? "" : ` — ${phases}`}. Ended: \`${story.reason ?? story.state}\`.`,
    "",
    "| Gate | Verdict | Evidence |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "",
  ].join("\n");
}

/** Foreign text in Markdown stays text. */
function escape(text: string): string {
  return cleanText(text).replace(/[\\`*_{}[\]<>()#+!|~&]/g, (character) => `&#${String(character.codePointAt(0))};`);
}
