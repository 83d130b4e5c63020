import type { MeasuredSize } from "@phasekit/tooling/measure-sizes";
import { loadavg } from "node:os";
import { isMet, type MeasuredComparison, renderValue, type Result } from "./comparison.ts";

/** The figures of docs/performance.md as Markdown. */
export function renderPage(comparisons: readonly MeasuredComparison[], sizes: readonly MeasuredSize[]): string {
  const [load = 0] = loadavg();
  return [
    `Two cores, load ${load.toFixed(1)} at the end of the run.`,
    "",
    ...comparisons.flatMap(renderComparison),
    "## Sizes",
    "",
    "Minified and gzipped, as a bundler makes it. The budget is checked with every commit.",
    "",
    "| Import | kB | Budget |",
    "| --- | --- | --- |",
    ...sizes.map(renderSize),
  ].join("\n");
}

function renderComparison({ title, baseline, results, notes, failure }: MeasuredComparison): readonly string[] {
  const lines = [`## ${title}`, "", `1 × is ${baseline}.`, ""];
  if (failure !== undefined) return [...lines, "Not measured: it failed.", ""];
  const rows =
    results.length === 0 ? [] : ["| | Measured | Goal |", "| --- | --- | --- |", ...results.map(renderRow), ""];
  return [...lines, ...rows, ...notes.map((note) => `- ${escapeText(note)}`), ...(notes.length > 0 ? [""] : [])];
}

function renderRow(result: Result): string {
  const { what, target, detail } = result;
  const met = isMet(result);
  const goal = target === undefined ? "" : `≤ ${String(target)}${met === true ? "" : ", **over**"}`;
  const measured = [renderValue(result), ...(detail === undefined ? [] : [escapeText(detail)])].join(", ");
  return `| ${escapeText(what)} | ${measured} | ${goal} |`;
}

function renderSize({ package: name, imports, whole, bytes, maxBytes }: MeasuredSize): string {
  const what = whole === true ? ", with its dependencies" : "";
  const names = imports.map((each) => `\`${each}\``).join(", ");
  return `| ${names} of \`${name}\`${what} | ${kilo(bytes)} | ${kilo(maxBytes)} |`;
}

const kilo = (bytes: number): string => (bytes / 1000).toFixed(1);
const escapeText = (text: string): string => text.replaceAll("|", "\\|");
