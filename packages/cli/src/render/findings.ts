import { cleanText, padText, textWidth } from "../clean-text.ts";
import type { Answer } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { plural } from "./numbers.ts";
import { wrapText } from "./wrap-text.ts";

/** The result of one check of `doctor`. */
export interface Finding {
  readonly what: string;
  readonly verdict: "ok" | "note" | "problem";
  readonly text: string;
  /** A command that solves it. */
  readonly fix?: string;
}

/** Below this width the text is printed under its name. */
const NARROW = 60;

/** Renders findings, one line each, and the verdict. */
export function findingsAnswer(findings: readonly Finding[], { colors, columns }: Terminal): Answer {
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  const paint = { ok: colors.green, note: colors.dim, problem: colors.red };
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(textWidth)) + 2;
  const [first, second] = [widest(findings.map(({ verdict }) => verdict)), widest(findings.map(({ what }) => what))];
  const isNarrow = columns < NARROW;
  const indent = " ".repeat(isNarrow ? first : first + second);
  const rows = findings.flatMap(({ what, verdict, text, fix }) => {
    const wrapped = wrapText(cleanText(text), columns - indent.length);
    const [start = "", ...rest] = isNarrow ? ["", ...wrapped] : wrapped;
    return [
      `${padText(paint[verdict](verdict), first)}${padText(what, second)}${start}`.trimEnd(),
      ...rest.map((line) => `${indent}${line}`),
      // On a line of its own, not cut, to be copied.
      ...(fix === undefined ? [] : [`${indent}Fix: ${cleanText(fix)}`]),
    ];
  });
  return {
    exitCode: problems === 0 ? exitCodes.ok : exitCodes.findings,
    data: { findings },
    lines: [
      ...rows,
      "",
      problems === 0 ? colors.green("No problems found.") : colors.red(`${plural(problems, "problem")} found.`),
    ],
  };
}
