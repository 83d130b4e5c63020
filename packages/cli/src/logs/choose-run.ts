import { isPhasekitError, type PhasekitError } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import type { CommandContext, CommandInput } from "../command.ts";
import { emptyLog, noSuchRun } from "../errors.ts";
import { type LogSummary, noLogIndex } from "../log-index/log-index.ts";
import { createProgress } from "../progress.ts";
import { megabytes, plural } from "../render/numbers.ts";
import type { PolicySet } from "../run-presets.ts";
import { chooseLogs, type ChosenLogs } from "./choose-logs.ts";
import { filterLogs } from "./filter-logs.ts";
import type { FoundLog } from "./find-logs.ts";
import { isOfProject, projectRoot } from "./log-folder.ts";
import type { PlayOptions, RunReading } from "./play-items.ts";
import type { LogReading } from "./read-log.ts";
import { lostRecords } from "./log-totals.ts";
import { statOf } from "./stat-of.ts";
import { type SubRun, subRunsOf } from "./sub-runs.ts";

/** One run, its log, and the other runs of the log. */
export interface ChosenRun extends LogReading {
  readonly reading: RunReading;
  readonly log: FoundLog;
  /** All runs of the same log. */
  readonly runs: readonly RunReading[];
  /** The runs that it started, and those that they started. */
  readonly subRuns: readonly SubRun[];
  /** The name of the tool that wrote the log, for people. */
  readonly title: string;
  readonly found: ChosenLogs["found"];
  /** Other logs that match the argument: this one is the newest of them. */
  readonly others: number;
  /** Why a newer log was passed over. */
  readonly problem?: PhasekitError;
}

/** Number of logs to try if none was named: some files contain no run yet. */
const MAX_TRIED = 20;

/**
 * Returns the run that matches an argument: in the newest log with a run, the named part, else the last top-level run.
 * @throws NO_LOGS, NO_SUCH_RUN, UNREADABLE_LOG, CANNOT_READ, EMPTY_LOG
 */
export async function chooseRun(
  argument: string | undefined,
  context: CommandContext,
  {
    onStep,
    simulate,
    useIndex = false,
    filters = {},
  }: Pick<PlayOptions, "onStep"> & {
    /** Accept a summary instead of reading the log. A gate reads the log itself. @default false */
    readonly useIndex?: boolean;
    /** The options that choose among the logs of this machine, see `filterLogs`. @default none */
    readonly filters?: CommandInput["options"];
    /**
     * Decide the run again with these policies in mode gate.
     * @default the policies of the config in mode observe; own runs as recorded
     */
    readonly simulate?: PolicySet;
  } = {},
): Promise<ChosenRun> {
  const { logs: all, part, found } = await chooseLogs(argument, context);
  const filtered = filterLogs(all, filters, { cwd: context.cwd, now: context.now() });
  const named =
    argument === undefined && context.database === undefined ? ofProjectFirst(filtered, context.cwd) : filtered;
  // The newest run that nothing else started.
  const logs = argument === undefined ? named.filter(({ parent }) => parent === undefined) : named;
  const summarize = await createSummarizer(context, {
    useIndex,
    ...(simulate !== undefined && { simulate }),
    ...(onStep !== undefined && { onStep }),
  });
  let problem: PhasekitError | undefined;
  for (const candidate of logs.slice(0, MAX_TRIED)) {
    try {
      const { log, ...logReading } = await fullerLog(candidate, summarize);
      const reading = partOf(logReading.runs, part, log);
      if (isEmpty(reading)) throw emptyLog(log.path, nothingRead(logReading));
      const subRuns = await subRunsOf(reading, { log, runs: logReading.runs, summarize });
      const about = { found, others: logs.length - 1, ...(problem !== undefined && { problem }) };
      return { ...logReading, reading, log, subRuns, ...about };
    } catch (error) {
      // A named log must work; among found logs, try the next one.
      if (!isPhasekitError(error) || logs.length === 1 || part !== undefined) throw error;
      problem ??= error;
    }
  }
  throw problem ?? noSuchRun(argument ?? "", "no log on this machine has this name");
}

/** Hooks send their last event before the agent writes it, so a log that is a little newer has nothing more. */
const SAME_MS = 5000;

/**
 * Returns the log that has more of a session: the live run, which also has what Phasekit said, or the agent's own log,
 * if it is longer.
 */
async function fullerLog(
  live: FoundLog,
  summarize: (log: FoundLog) => Promise<LogSummary>,
): Promise<LogSummary & { readonly log: FoundLog }> {
  const read = await summarize(live);
  const { ownLog, tool, title, project, folder } = live;
  const file = ownLog === undefined ? undefined : statOf(ownLog);
  if (ownLog === undefined || file === undefined || file.updatedAt <= live.updatedAt + SAME_MS)
    return { ...read, log: live };
  const log: FoundLog = { tool, title, path: ownLog, name: ownLog, ...defined({ project, folder }), ...file };
  try {
    const own = await summarize(log);
    return callsIn(own) > callsIn(read) ? { ...own, log } : { ...read, log: live };
  } catch {
    return { ...read, log: live };
  }
}

const callsIn = ({ runs }: LogSummary): number => Math.max(0, ...runs.map(({ story }) => story.calls));

type SummarizerOptions = Pick<PlayOptions, "onStep"> & { readonly useIndex: boolean; readonly simulate?: PolicySet };

/** Returns a function that reads a log, or finds its summary in the index. */
async function createSummarizer(
  context: CommandContext,
  { useIndex, simulate, onStep }: SummarizerOptions,
): Promise<(log: FoundLog) => Promise<LogSummary>> {
  const index = useIndex ? await context.index() : noLogIndex;
  return async (log) => {
    const known = index.get(log);
    if (known !== undefined) return known;
    const keep = index.prepare(log);
    const progress = createProgress(context.terminal, { total: log.bytes, format: megabytes });
    let done = 0;
    const onRead = (bytes: number): void => {
      done += bytes;
      progress.step(done);
    };
    // Imported here: with an index, there is often nothing to read.
    const [{ configuredSet }, { summarizeLog }] = await Promise.all([
      import("../run-presets.ts"),
      import("../log-index/summarize-log.ts"),
    ]);
    try {
      const summary = await summarizeLog(log, {
        set: simulate ?? (await configuredSet(await context.config())),
        onRead,
        ...(simulate !== undefined && { mode: "gate", decideAgain: true }),
        ...(onStep !== undefined && { onStep }),
      });
      keep(summary);
      return summary;
    } finally {
      progress.end();
    }
  };
}

/** Puts the logs of the current project first. */
export function ofProjectFirst(logs: readonly FoundLog[], cwd: string): readonly FoundLog[] {
  const root = projectRoot(cwd);
  const here = new Set(logs.filter((log) => isOfProject(log, root)));
  return [...here, ...logs.filter((log) => !here.has(log))];
}

/** True if the run has no task, turns or calls. */
export function isEmpty({ about, story }: RunReading): boolean {
  return about.task === undefined && story.turns === 0 && story.calls === 0 && story.state === "interrupted";
}

function nothingRead({ report }: LogReading): string | undefined {
  const lost = lostRecords(report);
  return lost === 0
    ? undefined
    : `${plural(lost, "record")} of ${String(report?.records ?? lost)} could not be read: ${Object.keys({
        ...report?.broken,
        ...report?.unknown,
      })
        .slice(0, 2)
        .join(", ")}`;
}

function partOf(runs: readonly RunReading[], part: string | undefined, { path }: FoundLog): RunReading {
  const own = runs.filter(({ about }) => about.parent === undefined);
  const reading =
    part === undefined
      ? (own.at(-1) ?? runs.at(-1))
      : (runs.find(({ about }) => about.id === part) ?? own[Number(part) - 1]);
  if (reading === undefined)
    throw part === undefined ? emptyLog(path) : noSuchRun(part, `${path} contains ${plural(own.length, "run")}`);
  return reading;
}
