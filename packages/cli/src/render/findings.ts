import { cleanText } from "../clean-text.ts";
import type { Answer } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { plural } from "./numbers.ts";
import { table } from "./table.ts";

/** One thing that a doctor looked at. */
export interface Finding {
  readonly what: string;
  readonly verdict: "ok" | "note" | "problem";
  readonly text: string;
}

/** What a doctor found, a line each, and the verdict. */
export function findingsAnswer(findings: readonly Finding[], { colors, columns }: Terminal): Answer {
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  const paint = { ok: colors.green, note: colors.dim, problem: colors.red };
  const rows = findings.map(({ what, verdict, text }) => [paint[verdict](verdict), what, cleanText(text)]);
  return {
    exitCode: problems === 0 ? exitCodes.ok : exitCodes.findings,
    data: { findings },
    lines: [
      ...table([{ head: "" }, { head: "" }, { head: "", flexible: true }], rows, { width: columns, head: () => "" }).slice(1),
      "",
      problems === 0 ? colors.green("Everything is in order.") : colors.red(plural(problems, "problem")),
    ],
  };
}
