import type { RunEnd } from "@phasekit/ledger/story";
import type { CommandContext, CommandInput } from "../command.ts";
import { isSet } from "../command-options.ts";
import { emptyLog } from "../errors.ts";
import { summarizeLogs } from "../log-index/summarize-logs.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { chooseRun, isEmpty } from "../logs/choose-run.ts";
import { filterLogs } from "../logs/filter-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { logFilters } from "../logs/log-filters.ts";
import { damagedRuns } from "../logs/own-runs.ts";
import type { RunReading } from "../logs/play-items.ts";
import { createProgress } from "../progress.ts";
import { megabytes, plural } from "../render/numbers.ts";
import { endOf } from "../render/why.ts";
import type { CheckRules } from "./check-rules.ts";
import { checkStory, type GateResult } from "./check-story.ts";

/** A run and the results of its gates. */
export interface CheckedRun {
  readonly reading: RunReading;
  readonly end: RunEnd;
  readonly log: FoundLog;
  /** The display name of the tool. */
  readonly title: string;
  readonly gates: readonly GateResult[];
}

/** The runs that one command line checks. */
export interface CheckedRuns {
  readonly runs: readonly CheckedRun[];
  /** Logs that match too, and were not checked. */
  readonly notChecked: number;
  /** Files that are not a log, and logs without a run: they do not fail a check. */
  readonly skipped: number;
  /** Logs whose runs could not be read: it is not known whether those would pass. */
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Checks the runs that the argument and the filters select: every run of a folder, log or database. Without either, or
 * with `--only-latest`, the newest one. Sub-agents are part of the run that started them.
 * @throws NO_LOGS, NO_SUCH_RUN, NO_MATCHING_LOGS, UNREADABLE_LOG, CANNOT_READ, EMPTY_LOG
 */
export async function checkRuns(
  argument: string | undefined,
  {
    rules,
    options,
    context,
  }: { readonly rules: CheckRules; readonly options: CommandInput["options"]; readonly context: CommandContext },
): Promise<CheckedRuns> {
  const { cwd, terminal, signal } = context;
  const now = context.now();
  const judge = (reading: RunReading, log: FoundLog, title: string): CheckedRun => {
    const end = endOf(reading, { log, now });
    return { reading, log, title, end, gates: checkStory(reading.story, { ...rules.options, end }) };
  };
  const judged = { ...context, config: () => Promise.resolve(rules.policies) };
  const isFiltered = logFilters.some(([flags]) => options[/\w+/.exec(flags)?.[0] ?? ""] !== undefined);
  const isAll = argument !== undefined || isFiltered || context.database !== undefined;
  const chosen = isAll && !isSet(options, "onlyLatest") ? await chooseLogs(argument, judged) : undefined;
  if (chosen === undefined || chosen.part !== undefined) {
    const { reading, log, title, others } = await chooseRun(argument, judged, { filters: options });
    return { runs: [judge(reading, log, title)], notChecked: isAll ? others : 0, skipped: 0, unreadable: [] };
  }
  const runs: CheckedRun[] = [];
  let empty = 0;
  const { unreadable, notRead } = await summarizeLogs(filterLogs(chosen.logs, options, { cwd, now }), {
    // No index: a gate reads the logs themselves.
    config: rules.policies,
    progress: (total) => createProgress(terminal, { total, format: megabytes }),
    signal,
    take: (reading, log, title) => {
      if (reading.about.parent !== undefined) return;
      if (isEmpty(reading)) empty += 1;
      else runs.push(judge(reading, log, title));
    },
  });
  const notLogs = unreadable.filter(({ code }) => code === "UNREADABLE_LOG");
  const damaged = await damagedIn(chosen.logs);
  const place = argument ?? context.database?.place ?? "the chosen logs";
  if (runs.length === 0 && damaged.length === 0 && notRead === 0 && unreadable.length === notLogs.length)
    throw emptyLog(place);
  return {
    runs,
    notChecked: 0,
    skipped: empty + notLogs.length,
    unreadable: [
      ...unreadable.filter(({ code }) => code !== "UNREADABLE_LOG"),
      ...damaged,
      ...(notRead === 0 ? [] : [{ path: place, message: `stopped: ${plural(notRead, "log")} not read` }]),
    ],
  };
}

/** A store does not list runs that it cannot read: damage must not hide a run from its gate. */
async function damagedIn(logs: readonly FoundLog[]): Promise<CheckedRuns["unreadable"]> {
  const folders = new Set(
    logs.flatMap(({ run, store, path }) => (run === undefined || store !== undefined ? [] : path)),
  );
  const found: { path: string; message: string }[] = [];
  for (const path of folders) {
    const count = await damagedRuns(path);
    if (count > 0) found.push({ path, message: `${plural(count, "run")} of this folder cannot be read` });
  }
  return found;
}
