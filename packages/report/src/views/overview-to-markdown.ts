import { duration, plural, tokens } from "./number-text.ts";
import type { Overview } from "./overview.ts";

/** A run as Markdown: for a pull request, an issue, a chat. What the agent wrote cannot break out of a cell. */
export function overviewToMarkdown(overview: Overview): string {
  const { line, explanation, failure, loops, gates, nudges, spend, error } = overview;
  const nudged = nudges.filter(({ effect }) => effect !== "guidance");
  return [
    `### ${cell(line.title)}`,
    "",
    `**${line.state}${line.reason === undefined ? "" : `, ${line.reason}`}${failure === undefined || failure === line.reason ? "" : ` (${failure})`}${line.verified ? ", verified" : ""}** in ${overview.phase}. ${explanation}`,
    ...(error === undefined ? [] : ["", `Error: ${cell(error)}`]),
    "",
    "| Phase | Time | Turns | Calls | Failed | Tokens | Brought nothing |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...[...spend.rows, spend.total].map(
      ({ phase, elapsed, turns, calls, errors, inputTokens, outputTokens, wastedCalls }) =>
        `| ${cell(phase)} | ${duration(elapsed)} | ${String(turns)} | ${String(calls)} | ${String(errors)} | ${inputTokens === undefined && outputTokens === undefined ? "?" : tokens((inputTokens ?? 0) + (outputTokens ?? 0))} | ${String(wastedCalls)} |`,
    ),
    ...(loops.length === 0 ? [] : ["", "Loops and findings:", ...loops.slice(0, 20).map((loop) => `- ${loop.kind}, ${plural(loop.count, "time")}, in ${cell(loop.phase)}: ${cell(loop.subject)} (event ${String(loop.firstSeq)}, ${loop.ended})`)]),
    ...(gates.length === 0 ? [] : ["", "Gates:", ...gates.slice(-10).map((gate) => `- ${cell(gate.gate)}: ${gate.verdict}${gate.text === undefined ? "" : `, ${cell(gate.text)}`}`)]),
    ...(nudged.length === 0 ? [] : ["", `${plural(nudged.length, "nudge")}, ${String(nudged.filter(({ effect }) => effect === "helped").length)} helped.`]),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#@!]/g, "\\$&");
}
