import { type RawCounts, rawCounts } from "./raw-counts.ts";
import { type RecordedFile, readRecordedFiles } from "./recorded-runs.ts";

interface Row {
  readonly files: number;
  readonly runs: number;
  readonly records: number;
  readonly unknown: number;
  readonly broken: number;
  readonly captured: RawCounts;
  readonly raw: RawCounts;
  readonly unanswered: number;
  readonly orphans: number;
}

/** The share of every recorded file that is in its events, beside a count of marks in its text. */
export function transcriptsReport(folder: string): string {
  const files = readRecordedFiles(folder);
  const formats = [...new Set(files.map(({ report }) => report.format))];
  const rows = formats.map(
    (format) => [format, sumRows(files.filter(({ report }) => report.format === format).map(rowOf))] as const,
  );
  const all = sumRows(rows.map(([, row]) => row));
  const unpaired = files.filter((file) => !isPaired(file)).map(({ agent, file }) => `${agent}/${file}`);
  return [
    `Transcripts: ${String(all.files)} files in ${String(formats.length)} formats, ${String(all.runs)} runs; ${String(all.unknown)} records not known, ${String(all.broken)} broken`,
    "",
    "| format | files | runs | records | tool calls | results | usage | outcomes | calls without a result | results without a call |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...[...rows, ["all", all] as const].map(
      ([format, row]) =>
        `| ${[format, row.files, row.runs, row.records, ...(["calls", "results", "usage", "outcomes"] as const).map((key) => share(row.captured[key], row.raw[key])), row.unanswered, row.orphans].join(" | ")} |`,
    ),
    "",
    unpaired.length === 0
      ? "Calls and results pair in every run."
      : `Calls and results do not pair in: ${unpaired.join(", ")}`,
  ].join("\n");
}

function rowOf({ agent, text, report, runs }: RecordedFile): Row {
  const total = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const outcomes = runs.filter(({ ending }) => ending.status !== undefined || ending.judged !== undefined).length;
  return {
    files: 1,
    runs: report.runs,
    records: report.records,
    unknown: total(report.unknown),
    broken: total(report.broken),
    captured: {
      calls: report.calls - report.orphans,
      results: report.results,
      usage: report.answersWithUsage,
      outcomes,
    },
    raw: rawCounts(agent, text),
    unanswered: report.unanswered,
    orphans: report.orphans,
  };
}

function sumRows(rows: readonly Row[]): Row {
  const sum = (value: (row: Row) => number): number => rows.reduce((total, row) => total + value(row), 0);
  const counts = (of: (row: Row) => RawCounts): RawCounts => ({
    calls: sum((row) => of(row).calls),
    results: sum((row) => of(row).results),
    usage: sum((row) => of(row).usage),
    outcomes: sum((row) => of(row).outcomes),
  });
  return {
    files: sum((row) => row.files),
    runs: sum((row) => row.runs),
    records: sum((row) => row.records),
    unknown: sum((row) => row.unknown),
    broken: sum((row) => row.broken),
    captured: counts((row) => row.captured),
    raw: counts((row) => row.raw),
    unanswered: sum((row) => row.unanswered),
    orphans: sum((row) => row.orphans),
  };
}

function share(captured: number, raw: number): string {
  if (raw === 0) return captured === 0 ? "none in it" : String(captured);
  return captured === raw ? `all ${String(raw)}` : `${String(captured)} of ${String(raw)}`;
}

/** Every result follows its call, no call has two, and those without one are in the report. */
function isPaired({ runs, report }: RecordedFile): boolean {
  let waiting = 0;
  for (const { events } of runs) {
    const open = new Set<string>();
    for (const event of events) {
      if (event.type === "tool.requested" && open.has(event.call ?? "")) return false;
      if (event.type === "tool.requested") open.add(event.call ?? "");
      if (event.type === "tool.finished" && !open.delete(event.call ?? "")) return false;
    }
    waiting += open.size;
  }
  return waiting === report.unanswered && report.calls === report.results + report.unanswered;
}
