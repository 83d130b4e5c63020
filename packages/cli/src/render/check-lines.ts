import type { CheckedRun, CheckedRuns } from "../check/check-runs.ts";
import type { CheckRules } from "../check/check-rules.ts";
import type { GateResult } from "../check/check-story.ts";
import { cleanText, padText } from "../clean-text.ts";
import type { Colors } from "../terminal.ts";
import type { Annotation } from "./github-commands.ts";
import { unreadableGate } from "./junit.ts";
import { plural } from "./numbers.ts";
import { titleOfRun } from "./run-title.ts";
import { shortId } from "./short-id.ts";
import { table } from "./table.ts";
import { wrapText } from "./wrap-text.ts";

/** Failed runs with the text of their gates; the table has all failed runs. */
const MAX_TOLD = 10;
/** Passed runs in the table. */
const MAX_PASSED = 20;

interface CheckFrame {
  readonly rules: CheckRules;
  readonly colors: Colors;
  readonly columns: number;
}

/** Everything that fails a check, by run. */
export function failuresOf(
  { runs, unreadable }: CheckedRuns,
  { config }: Pick<CheckRules, "config">,
): readonly (GateResult & Annotation)[] {
  const named = (title: string, gates: readonly GateResult[]): readonly (GateResult & Annotation)[] =>
    gates
      .filter(({ verdict }) => verdict === "FAIL")
      .map((result) => ({ ...result, title: `Phasekit: ${title === "" ? "" : `${title}, `}${result.gate}` }));
  return [
    ...runs.flatMap(({ reading, gates }) => named(shortId(reading.about.id), gates)),
    ...unreadable.flatMap(({ path, message }) => named(path, [unreadableGate(message)])),
    ...named("", config),
  ];
}

/** The only run of a check; `undefined` if there are several, or logs that could not be read. */
export const oneRun = ({ runs, unreadable }: CheckedRuns): CheckedRun | undefined =>
  runs.length === 1 && unreadable.length === 0 ? runs[0] : undefined;

/** Renders the result of a check: of one run every gate, of several a table and what failed. */
export function checkLines(checked: CheckedRuns, frame: CheckFrame): readonly string[] {
  const { columns, rules } = frame;
  const one = oneRun(checked);
  const gateLines = (gates: readonly GateResult[]): readonly string[] =>
    gates.flatMap((result) => linesOfGate(result, frame));
  const notes = notesOf(checked).flatMap((text) => wrapText(text, columns - 2).map((line) => `  ${line}`));
  if (one !== undefined)
    return [
      `${cleanText(one.title)} · ${cleanText(one.reading.about.id)}`,
      ...notes,
      ...gateLines([...one.gates, ...rules.config]),
    ];
  const failed = checked.runs.filter(isFailed);
  const passed = checked.runs.filter((run) => !isFailed(run));
  const shown = [...failed, ...passed.slice(0, MAX_PASSED)];
  return [
    ...(shown.length === 0 ? [] : runTable(shown, frame)),
    ...(passed.length > MAX_PASSED ? [`  … and ${plural(passed.length - MAX_PASSED, "more run")} that passed`] : []),
    "",
    ...failed
      .slice(0, MAX_TOLD)
      .flatMap(({ reading: { about }, gates }) => [
        cleanText(about.id),
        ...gateLines(gates.filter(({ verdict }) => verdict === "FAIL")),
      ]),
    ...checked.unreadable.flatMap(({ path, message }) => [cleanText(path), ...gateLines([unreadableGate(message)])]),
    ...gateLines(rules.config),
    `${plural(checked.runs.length, "run")}: ${String(passed.length)} passed, ${String(failed.length)} failed`,
    ...notes,
  ];
}

export const isFailed = ({ gates }: CheckedRun): boolean => gates.some(({ verdict }) => verdict === "FAIL");

/** The result of a run in one word. */
export const resultOf = (run: CheckedRun): "FAIL" | "WAIVED" | "PASS" =>
  isFailed(run) ? "FAIL" : run.gates.some(({ verdict }) => verdict === "WAIVED") ? "WAIVED" : "PASS";

function runTable(runs: readonly CheckedRun[], { colors, columns }: CheckFrame): readonly string[] {
  const paint = { PASS: colors.green, FAIL: colors.red, WAIVED: colors.magenta };
  return table(
    [
      { head: "result" },
      { head: "run" },
      { head: "title", flexible: true },
      { head: "end", flexible: true },
      { head: "failed gates", flexible: true },
    ],
    runs.map((run) => [
      paint[resultOf(run)](resultOf(run)),
      cleanText(shortId(run.reading.about.id)),
      titleOfRun(run.reading),
      run.end.word,
      run.gates.flatMap(({ gate, verdict }) => (verdict === "FAIL" ? [gate] : [])).join(", "),
    ]),
    { width: columns, head: colors.dim },
  );
}

function notesOf({ notChecked, skipped }: CheckedRuns): readonly string[] {
  return [
    ...(notChecked === 0 ? [] : [`the newest of ${plural(notChecked + 1, "log")}; the others were not checked`]),
    ...(skipped === 0 ? [] : [`${plural(skipped, "file")} without a run`]),
  ];
}

function linesOfGate({ gate, verdict, text }: GateResult, { rules, colors, columns }: CheckFrame): readonly string[] {
  const paint = { PASS: colors.green, FAIL: colors.red, WAIVED: colors.magenta, UNKNOWN: colors.dim };
  // On a narrow terminal the text is printed under the gate.
  const indent = columns < 60 ? 4 : 25;
  const head = `  ${paint[verdict](padText(verdict, 7))}  ${padText(gate, 12)}  `;
  const why = cleanText(`${text}${verdict === "WAIVED" ? ` — waived: ${rules.reason ?? ""}` : ""}`);
  const [first = "", ...rest] = wrapText(why, columns - indent);
  const below = (indent === 4 ? [first, ...rest] : rest).map((part) => " ".repeat(indent) + part);
  return [indent === 4 ? head.trimEnd() : head + first, ...below];
}
