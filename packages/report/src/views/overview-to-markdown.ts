import { costText, duration, plural, tokens } from "./number-text.ts";
import type { Overview, SpendRow } from "./overview.ts";
import { policyHeading, verdictWord } from "./policy-heading.ts";
import { words } from "@phasekit/ledger/story";

/** Renders a run as Markdown for a pull request, an issue or a chat. Escapes the text of the agent. */
export function overviewToMarkdown(overview: Overview): string {
  const { line, story, verdict, failure, loops, gates, spend, error } = overview;
  const cause = failure === undefined || failure === line.reason ? "" : ` (${failure})`;
  const interventions = words.interventionText(story);
  return [
    `### ${cell(line.title)}`,
    "",
    `**${line.word}${cause}** in ${overview.phase}.`,
    "",
    ...verdict.map(({ question, answer, text }) => `- ${question} **${cell(answer)}.** ${cell(text)}`),
    ...(error === undefined ? [] : ["", `Error: ${cell(error)}`]),
    "",
    ...spendTable(spend),
    ...(loops.length === 0
      ? []
      : [
          "",
          "Loops and other alerts:",
          ...loops.slice(0, 20).map(({ kind, count, phase, subject, firstSeq, ended }) => {
            const place = `event ${String(firstSeq)}, ${ended}`;
            return `- ${policyHeading(kind)}, ${plural(count, "time")}, in ${cell(phase)}: ${cell(subject)} (${place})`;
          }),
        ]),
    ...(gates.length === 0
      ? []
      : [
          "",
          "Gates:",
          ...gates
            .slice(-10)
            .map(({ gate, verdict, text }) =>
              [
                `- ${cell(policyHeading(gate))}: ${verdictWord(verdict)}`,
                ...(text === undefined ? [] : [cell(text)]),
              ].join(", "),
            ),
        ]),
    ...(interventions === undefined ? [] : ["", `Phasekit ${cell(interventions)}`]),
    "",
  ].join("\n");
}

function spendTable({ rows, total }: Overview["spend"]): readonly string[] {
  const columns = COLUMNS.filter(({ hide }) => hide?.(total) !== true);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map((_, index) => (index === 0 ? "---" : "---:"))),
    ...[...rows, total].map((row) => line(columns.map(({ show }) => show(row)))),
  ];
}

const COLUMNS: readonly {
  readonly name: string;
  readonly show: (row: SpendRow) => string;
  readonly hide?: (total: SpendRow) => boolean;
}[] = [
  { name: "Phase", show: ({ phase }) => cell(phase) },
  { name: "Time", show: ({ elapsedMs }) => duration(elapsedMs), hide: ({ elapsedMs }) => elapsedMs === 0 },
  { name: "Turns", show: ({ turns }) => String(turns) },
  { name: "Calls", show: ({ calls }) => String(calls) },
  { name: "Failed", show: ({ failedCalls }) => String(failedCalls) },
  {
    name: "Tokens",
    show: ({ inputTokens, outputTokens }) =>
      inputTokens === undefined && outputTokens === undefined ? "?" : tokens((inputTokens ?? 0) + (outputTokens ?? 0)),
  },
  { name: "Cost", show: costText, hide: ({ cost }) => cost === undefined },
  { name: "Wasted calls", show: ({ wastedCalls }) => String(wastedCalls) },
];

function cell(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#@!]/g, "\\$&");
}
