import { cleanText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { countOption, textOption } from "../command-options.ts";
import { noSuchRun } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { ToldRun } from "../logs/play-items.ts";
import { tellLog } from "../logs/read-log.ts";
import { tellLogs } from "../logs/tell-logs.ts";
import { titleOf } from "../logs/tool-title.ts";
import { createProgress } from "../progress.ts";
import { age, plural, tokens } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { toldToData } from "../render/told-to-data.ts";
import { wrapText } from "../render/wrap-text.ts";
import type { Colors } from "../terminal.ts";
import { configuredSet } from "../run-presets.ts";
import { createStory } from "../story/run-story.ts";

interface Row {
  readonly told: ToldRun;
  readonly log: FoundLog;
  readonly title: string;
}

/** Lists the newest runs and counts how they ended. */
export const runs: CommandRun = async ({ args: [argument], options }, context) => {
  const { terminal, now, signal } = context;
  const limit = countOption(options, "limit") ?? 20;
  const tool = textOption(options, "tool");
  const { logs, found } = await chooseLogs(argument, context);
  const wanted = logs.filter((log) => tool === undefined || log.tool === tool || (log.tool === "file" && argument !== undefined));
  if (wanted.length === 0) throw noSuchRun(tool ?? "", `logs of ${[...new Set(logs.map((log) => log.tool))].join(", ")}`);
  const set = configuredSet(await context.config());
  const playing = { story: createStory, runOptions: set.options("observe") };
  const rows: Row[] = [];
  const read = await tellLogs(wanted.slice(0, limit), {
    tell: (log) => tellLog(log, playing),
    progress: createProgress(terminal, { total: Math.min(limit, wanted.length) }),
    signal,
    take: (told, log, format) => {
      if (tool === undefined || log.tool === tool || format === tool) rows.push({ told, log, title: titleOf(format, log) });
    },
  });
  const ends = countEnds(rows);
  const total = [...found.values()].reduce((sum, count) => sum + count, 0);
  const { colors, columns } = terminal;
  return {
    exitCode: rows.length === 0 ? exitCodes.noData : exitCodes.ok,
    data: { runs: rows.map(({ told, log, title }) => ({ ...toldToData(told), tool: title, path: log.path })), ends: Object.fromEntries(ends), found: Object.fromEntries(found), ...read },
    lines: [
      // An agent gets the newest few; it can ask for more with --json.
      ...renderRows(terminal.isAgent ? rows.slice(0, 10) : rows, { colors, columns, now: now() }),
      "",
      ...wrapText(`${plural(rows.length, "run")} in ${plural(read.logs, "log")}${wanted.length > limit ? ` (the newest of ${String(Math.max(total, wanted.length))}; --limit for more)` : ""}. How they ended: ${[...ends].map(([end, count]) => `${end} ${String(count)}`).join(", ")}.`, columns),
      ...(read.unreadable.length === 0 ? [] : [`${plural(read.unreadable.length, "file")} could not be read as a log.`]),
      ...(read.lost === 0 ? [] : [`${plural(read.lost, "record")} of ${plural(read.records, "record")} were not understood; see --json.`]),
    ],
  };
};

function renderRows(rows: readonly Row[], { colors, columns, now }: { readonly colors: Colors; readonly columns: number; readonly now: number }): readonly string[] {
  const cells = rows.map(({ told: { about, story }, title, log }) => [
    story.endedAt > 0 ? age(Math.max(0, now - story.endedAt)) : "",
    cleanText(title),
    cleanText(`${about.parent === undefined ? "" : "└ "}${about.folder?.split(/[\\/]/).findLast((part) => part !== "") ?? log.project ?? ""} ${/^[0-9a-f-]{32,}$/.test(about.id) ? about.id.slice(0, 8) : about.id}`),
    String(story.calls),
    story.tokens === undefined ? "?" : tokens(story.tokens),
    story.loops.some(({ severity }) => severity !== "notice") ? colors.magenta("loop") : "",
    endCell(told(story), colors),
  ]);
  return table(
    [{ head: "age", right: true }, { head: "tool", flexible: true }, { head: "run", flexible: true }, { head: "calls", right: true }, { head: "tokens", right: true }, { head: "" }, { head: "end" }],
    cells,
    { width: columns, head: colors.dim },
  );
}

const told = ({ reason, state, verified }: ToldRun["story"]): { readonly end: string; readonly good: boolean } => ({
  end: reason === undefined ? state : reason === "done" && verified === true ? "done, verified" : reason,
  good: reason === "done",
});

function endCell({ end, good }: { readonly end: string; readonly good: boolean }, colors: Colors): string {
  return good ? colors.green(end) : colors.red(end);
}

/** How often runs ended in which way; children belong to their parents. */
function countEnds(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { told: { about, story } } of rows) {
    if (about.parent !== undefined) continue;
    const { end } = told(story);
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
