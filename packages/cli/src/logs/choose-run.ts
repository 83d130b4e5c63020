import { isPhasekitError, type PhasekitError } from "@phasekit/core";
import type { CommandContext } from "../command.ts";
import { emptyLog, noSuchRun } from "../errors.ts";
import { plural } from "../render/numbers.ts";
import { configuredSet, type PolicySet } from "../run-presets.ts";
import { createStory } from "../story/run-story.ts";
import { chooseLogs, type ChosenLogs } from "./choose-logs.ts";
import type { FoundLog } from "./find-logs.ts";
import type { PlayOptions, ToldRun } from "./play-items.ts";
import { type LogReading, readLog } from "./read-log.ts";
import { lostRecords } from "./tell-logs.ts";

/** One run, where it was found, and what else is there. */
export interface ChosenRun extends LogReading {
  readonly told: ToldRun;
  readonly log: FoundLog;
  /** All runs of the same log. */
  readonly runs: readonly ToldRun[];
  readonly found: ChosenLogs["found"];
}

/** Logs that are tried when none was named: tools leave files behind that hold no run yet. */
const MAX_TRIED = 20;

/**
 * The run an argument stands for: the newest log that holds one, and in it the part that was named, else the last run
 * nobody started.
 * @throws NO_LOGS, NO_SUCH_RUN, UNREADABLE_LOG, CANNOT_READ, EMPTY_LOG
 */
export async function chooseRun(
  argument: string | undefined,
  context: CommandContext,
  { onStep, simulate }: Pick<PlayOptions, "onStep"> & {
    /** Decide the run again, one of our own too, by these policies in mode gate. @default as the config says, and our own as it was */
    readonly simulate?: PolicySet;
  } = {},
): Promise<ChosenRun> {
  const { logs, part, found } = await chooseLogs(argument, context);
  const set = simulate ?? configuredSet(await context.config());
  const options: PlayOptions = { story: createStory, runOptions: set.options(simulate === undefined ? "observe" : "gate"), decideAgain: simulate !== undefined, ...(onStep !== undefined && { onStep }) };
  let problem: PhasekitError | undefined;
  for (const log of logs.slice(0, MAX_TRIED)) {
    try {
      const reading = await readLog(log, options);
      const told = partOf(reading.runs, part, log);
      if (isEmpty(told)) throw emptyLog(log.path, nothingRead(reading));
      return { ...reading, told, log, found };
    } catch (error) {
      // What was named is what is meant; of what was found, the next one may do.
      if (!isPhasekitError(error) || logs.length === 1 || part !== undefined) throw error;
      problem ??= error;
    }
  }
  throw problem ?? noSuchRun(argument ?? "", "the usual places");
}

/** Nobody was asked for anything, and nobody did anything. */
function isEmpty({ about, story }: ToldRun): boolean {
  return about.task === undefined && story.turns === 0 && story.calls === 0 && story.reason === "interrupted";
}

function nothingRead({ report }: LogReading): string | undefined {
  const lost = lostRecords(report);
  return lost === 0 ? undefined : `${plural(lost, "record")} of ${String(report?.records ?? lost)} could not be read: ${Object.keys({ ...report?.broken, ...report?.unknown }).slice(0, 2).join(", ")}`;
}

function partOf(runs: readonly ToldRun[], part: string | undefined, { path }: FoundLog): ToldRun {
  const own = runs.filter(({ about }) => about.parent === undefined);
  const told = part === undefined ? (own.at(-1) ?? runs.at(-1)) : (runs.find(({ about }) => about.id === part) ?? own[Number(part) - 1]);
  if (told === undefined) throw part === undefined ? emptyLog(path) : noSuchRun(part, `the ${plural(own.length, "run")} of ${path}`);
  return told;
}
