import { reasons } from "@phasekit/core";
import { type RunEnd, verificationOf, words } from "@phasekit/ledger/story";
import { cleanText } from "../clean-text.ts";
import type { CommandInput, CommandRun } from "../command.ts";
import { choiceOption, countOption, isSet, textOption } from "../command-options.ts";
import { badArgument, noMatchingLogs } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { summarizeLogs } from "../log-index/summarize-logs.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { filterLogs, sinceOption } from "../logs/filter-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { stoppedLines } from "../logs/log-totals.ts";
import type { RunReading } from "../logs/play-items.ts";
import { projectOf } from "../logs/run-source.ts";
import { asTree } from "../logs/sub-runs.ts";
import { nearestName } from "../nearest-name.ts";
import { loadPrices, pricesToData } from "../money/price-list.ts";
import { type RunCost, runCost, sumCosts } from "../money/run-cost.ts";
import { createProgress } from "../progress.ts";
import { costCell, costSumText } from "../render/cost-text.ts";
import { dayOf } from "../render/day.ts";
import { age, count, megabytes, plural, tokens } from "../render/numbers.ts";
import { type Column, table } from "../render/table.ts";
import { branch, titleOfRun } from "../render/run-title.ts";
import { runToData } from "../render/run-to-data.ts";
import { endOf } from "../render/why.ts";
import { shortId } from "../render/short-id.ts";
import { wrapItems } from "../render/wrap-text.ts";
import type { Colors } from "../terminal.ts";

interface Row {
  readonly reading: RunReading;
  readonly end: RunEnd;
  readonly log: FoundLog;
  readonly title: string;
  /** 0 for a run that nothing else started. */
  readonly depth?: number;
  readonly cost: RunCost;
}

/** Lists the newest runs and counts their end reasons. */
export const runs: CommandRun = async ({ args: [argument], options }, context) => {
  const { terminal, now, signal } = context;
  const by = choiceOption(options, "by", ["project", "day", "tool", "end"]);
  // Sums are of all runs.
  const limit = countOption(options, "limit") ?? (by === undefined ? 20 : Infinity);
  if (limit === 0) throw badArgument("--limit must be at least 1", "Write `--limit 20`, for example.");
  const passes = storyFilter(options);
  sinceOption(textOption(options, "since"), now());
  const storyFilters = ["looping", "unverified", "ended"].filter((name) => options[name] !== undefined);
  const { logs, found } = await chooseLogs(argument, context);
  const wanted = filterLogs(logs, options, { cwd: context.cwd, now: now() });
  const prices = loadPrices(textOption(options, "prices"), context.cwd);
  const rows: Row[] = [];
  const read = await summarizeLogs(wanted.slice(0, limit), {
    config: await context.config(),
    index: await context.index(),
    progress: (total) => createProgress(terminal, { total, format: megabytes }),
    signal,
    take: (reading, log, title) => {
      const end = endOf(reading, { log, now: now() });
      if (passes(reading, end)) rows.push({ reading, end, log, title, cost: runCost(reading.story.models, prices) });
    },
  });
  if (rows.length === 0 && read.logs > 0 && storyFilters.length > 0)
    throw noMatchingLogs(
      storyFilters.map((name) => `--${name}${name === "ended" ? ` ${textOption(options, name) ?? ""}` : ""}`).join(" "),
      `the runs in ${plural(read.logs, "log")}`,
    );
  // By the time of the last record: a file may be copied or touched.
  const sorted = inOrder(rows);
  const ends = countEnds(rows);
  const cost = sumCosts(rows.map((row) => row.cost));
  const total = [...found.values()].reduce((sum, count) => sum + count, 0);
  const { colors, columns } = terminal;
  return {
    exitCode: rows.length === 0 ? exitCodes.noData : exitCodes.ok,
    data: {
      runs: sorted.map((row) => ({
        ...runToData(row.reading, row.end),
        ...(titleOfRun(row.reading) !== "" && { title: titleOfRun(row.reading) }),
        cost: row.cost,
        tool: row.title,
        path: row.log.path,
      })),
      cost,
      prices: pricesToData(prices),
      ends: Object.fromEntries(ends),
      found: Object.fromEntries(found),
      ...read,
    },
    lines: [
      // An agent gets the newest ten; it can get all with --json.
      ...(by === undefined
        ? renderRows(terminal.isAgent ? sorted.slice(0, 10) : sorted, { colors, columns, now: now() })
        : renderGroups(sorted, by, { colors, columns })),
      "",
      ...wrapItems(
        [
          `${plural(rows.length, "run")} in ${plural(read.logs, "log")}`,
          ...(wanted.length > limit
            ? [`the newest of ${String(Math.max(total, wanted.length))} logs, more with \`--limit <n>\``]
            : []),
          ...(costSumText(cost) === "" ? [] : [costSumText(cost)]),
          ...[...ends].map(([end, count]) => `${String(count)} ${end.replace(", ", " and ")}`),
        ],
        { width: columns },
      ),
      ...(rows.some(({ cost: { from = "log" } }) => from !== "log") ? [`Cost at ${cleanText(prices.source)}.`] : []),
      ...stoppedLines(read),
      ...(read.unreadable.length === 0
        ? []
        : [`${plural(read.unreadable.length, "file")} not recognized as a log; details with --json.`]),
      ...(read.lost === 0
        ? []
        : [`${count(read.lost)} of ${plural(read.records, "record")} not recognized; details with --json.`]),
    ],
  };
};

/** The states of runs that have no reason, or many. */
const STATES: readonly RunReading["story"]["state"][] = [
  "running",
  "success",
  "clean",
  "partial",
  "failed",
  "stalled",
  "interrupted",
  "timed-out",
];

/** Returns the test of `--looping`, `--unverified` and `--ended`. */
function storyFilter(options: CommandInput["options"]): (reading: RunReading, end: RunEnd) => boolean {
  const ended = textOption(options, "ended");
  const known = [...Object.keys(reasons), ...STATES];
  if (ended !== undefined && !known.includes(ended)) {
    const near = nearestName(ended, known);
    throw badArgument(
      `--ended cannot be "${ended}"`,
      near === undefined ? "List the reasons with `phasekit explain`." : `Did you mean \`--ended ${near}\`?`,
    );
  }
  // A live run has no end yet.
  return ({ story }, { live }) =>
    (!isSet(options, "looping") || hasLoop(story)) &&
    (!isSet(options, "unverified") || verificationOf(story).verdict !== "yes") &&
    (ended === undefined || (live ? ended === "running" : story.reason === ended || story.state === ended));
}

const hasLoop = ({ loops }: RunReading["story"]): boolean => loops.length > 0;

/** Newest first; a sub-run stays below the run that started it. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  const time = ({ reading }: Row): number => reading.story.endedAt;
  const sorted = rows.toSorted((a, b) => time(b) - time(a));
  return asTree(sorted).map(({ row, depth }) => ({ ...row, depth }));
}

/** One line per project, day, tool or end, with sums over runs and their sub-runs. */
function renderGroups(
  rows: readonly Row[],
  by: "project" | "day" | "tool" | "end",
  { colors, columns }: { readonly colors: Colors; readonly columns: number },
): readonly string[] {
  const keys: Readonly<Record<typeof by, (row: Row) => string>> = {
    project: ({ reading, log }) => projectOf(reading.about, log) || "unknown",
    day: ({ reading: { story } }) => dayOf(story.endedAt) ?? "unknown",
    tool: ({ title }) => title,
    end: ({ end }) => end.word,
  };
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keys[by](row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const sum = (group: readonly Row[], read: (row: Row) => number): number =>
    group.reduce((total, row) => total + read(row), 0);
  return table(
    [
      { head: by, flexible: true },
      { head: "runs", right: true },
      { head: "verified", right: true },
      { head: "loops", right: true },
      { head: "calls", right: true },
      { head: "tokens", right: true },
      { head: "cost", right: true },
    ],
    [...groups].map(([key, group]) => [
      cleanText(key),
      String(group.length),
      String(group.filter(({ reading: { story } }) => verificationOf(story).verdict === "yes").length),
      String(group.filter(({ reading: { story } }) => hasLoop(story)).length),
      String(sum(group, ({ reading: { story } }) => story.calls)),
      tokens(sum(group, ({ reading: { story } }) => story.tokens ?? 0)),
      groupCost(group),
    ]),
    { width: columns, head: colors.dim },
  );
}

function groupCost(group: readonly Row[]): string {
  const { usd, runsWithoutPrice, runsInPart } = sumCosts(group.map(({ cost }) => cost));
  return costCell({
    ...(usd !== undefined && { usd }),
    unpricedCalls: runsWithoutPrice + runsInPart,
    unknownCalls: 0,
    models: [],
  });
}

/** From this width on a row also has the project and the calls. */
const WIDE = 110;

function renderRows(
  rows: readonly Row[],
  { colors, columns: width, now }: { readonly colors: Colors; readonly columns: number; readonly now: number },
): readonly string[] {
  const isWide = width >= WIDE;
  const hasTools = new Set(rows.map(({ title }) => title)).size > 1;
  const columns: readonly (Column & { readonly cell: (row: Row) => string })[] = [
    {
      head: "age",
      right: true,
      alone: String,
      cell: ({ reading: { story } }) => (story.endedAt > 0 ? age(Math.max(0, now - story.endedAt)) : ""),
    },
    // Not cut: the id selects the run.
    { head: "run", cell: ({ reading: { about }, depth = 0 }) => `${branch(depth)}${idCell(about.id)}` },
    { head: "title", flexible: true, cell: ({ reading }) => titleOfRun(reading) },
    ...(isWide
      ? [{ head: "project", flexible: true, cell: ({ reading, log }: Row) => projectOf(reading.about, log) ?? "" }]
      : []),
    ...(hasTools ? [{ head: "tool", flexible: true, cell: ({ title }: Row) => title }] : []),
    ...(isWide ? [{ head: "calls", right: true, cell: ({ reading: { story } }: Row) => String(story.calls) }] : []),
    { head: "tokens", right: true, cell: ({ reading: { story } }) => words.tokenText(story) ?? "?" },
    { head: "cost", right: true, cell: ({ cost }) => costCell(cost) },
    { head: "end", cell: (row) => endCell(row, colors) },
  ];
  return table(
    columns,
    rows.map((row) => columns.map(({ cell }) => cell(row))),
    { width, head: colors.dim },
  );
}

/** The longest id in a row: it still selects the run. */
const MAX_ID = 20;
const idCell = (id: string): string => cleanText(shortId(id)).slice(0, MAX_ID);

function endCell({ end: { word, tone }, reading: { story } }: Row, colors: Colors): string {
  const text = { good: colors.green, plain: String, fair: colors.magenta, bad: colors.red }[tone](word);
  return hasLoop(story) ? `${text}${colors.magenta(", loop")}` : text;
}

/** Counts the end reasons of all runs, sub-runs too, so that they add up to the number of rows. */
function countEnds(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const {
    end: { word },
  } of rows)
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
