import { cleanText } from "../clean-text.ts";
import type { RunReading } from "../logs/play-items.ts";
import type { GateResult } from "../story/check-story.ts";
import { words } from "@phasekit/ledger/story";
import { percent, plural } from "./numbers.ts";

/** Renders the result of a check as Markdown for the summary of a GitHub job. */
export function stepSummary(
  { about, story }: RunReading,
  {
    title,
    results,
    reason,
    end,
  }: {
    readonly title: string;
    readonly results: readonly GateResult[];
    readonly reason: string | undefined;
    readonly end: string;
  },
): string {
  const waiver = ` (waived: ${escape(reason ?? "")})`;
  const rows = results.map(
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
    `${usage}${phases === "" ? "" : ` — ${phases}`}. Ended: \`${end}\`.`,
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
  return cleanText(text).replace(/[\\`*_{}[\]<>()#+!|~&]/g, (character) => `&#${String(character.codePointAt(0))};`);
}
