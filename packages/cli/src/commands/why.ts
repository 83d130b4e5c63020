import { isPhasekitError } from "@phasekit/core";
import {
  checkpointFrom,
  type CheckpointState,
  checkpointText,
  createCheckpoint,
  foldCheckpoint,
} from "@phasekit/ledger/checkpoint";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { cleanText } from "../clean-text.ts";
import type { CommandContext, CommandInput, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { filterLogs } from "../logs/filter-logs.ts";
import { logFilters } from "../logs/log-filters.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { isOfProject, projectRoot } from "../logs/log-folder.ts";
import { lostRecords } from "../logs/log-totals.ts";
import { loadPrices, pricesToData } from "../money/price-list.ts";
import { runCost } from "../money/run-cost.ts";
import { costText } from "../render/cost-text.ts";
import { canPick, pickLog } from "../pick/pick-log.ts";
import { plural } from "../render/numbers.ts";
import { runToData } from "../render/run-to-data.ts";
import { endOf, renderWhy } from "../render/why.ts";

/** Explains why a run stopped. Asks which one in a terminal, if there are several. */
export const why: CommandRun = async ({ args: [argument], options }, context) => {
  const hadCache = context.cacheFolder === undefined || existsSync(context.cacheFolder);
  const candidates =
    canPick(context) && !isSet(options, "latest") ? await findCandidates(argument, options, context) : [];
  const picked =
    candidates.length > 1 ? await pickLog(candidates, "Several runs. Explain which one?", context) : undefined;
  if (candidates.length > 1 && picked === undefined) return { exitCode: exitCodes.ok, data: {}, lines: [] };
  const filters = picked === undefined ? options : {};
  if (isSet(options, "handoff")) return await handOff(picked?.name ?? argument, context, filters);
  const { reading, log, report, title, runs, subRuns, found, problem } = await chooseRun(
    picked?.name ?? argument,
    context,
    {
      filters,
      useIndex: true,
    },
  );
  const prices = loadPrices(textOption(options, "prices"), context.cwd);
  const cost = runCost(reading.story.models, prices);
  const newCache = hadCache || !existsSync(context.cacheFolder ?? "") ? undefined : context.cacheFolder;
  const frame = {
    log,
    newCache: newCache?.replace(context.env["HOME"] ?? homedir(), "~"),
    title,
    now: context.now(),
    lost: lostRecords(report),
    others: runs.filter(({ about }) => about.parent === undefined).length - 1,
    subRuns,
    showTask: isSet(options, "task"),
    // Without tokens there is no cost to know.
    cost: reading.story.tokens === undefined && cost.usd === undefined ? undefined : costText(cost, prices),
  };
  const counts = [...found].map(([name, count]) => `${name} ${String(count)}`).join(", ");
  const total = [...found.values()].reduce((sum, count) => sum + count, 0);
  const isNamed = argument !== undefined || picked !== undefined || options["project"] !== undefined;
  const isHere = isOfProject(log, projectRoot(context.cwd));
  const which = isNamed
    ? "Newest:"
    : isHere
      ? "Newest of this project:"
      : "None is of this project; newest of another:";
  const intro = total === 0 || context.terminal.isAgent ? [] : [`Found ${plural(total, "log")} (${counts}). ${which}`];
  // An older run must not pass for the newest one.
  const isStore = isPhasekitError(problem, "UNREADABLE_STORE") || isPhasekitError(problem, "CANNOT_UNPACK");
  const skipped = isStore ? [`Skipped a newer log: ${problem.message} ${problem.hint ?? ""}`] : [];
  return {
    exitCode: exitCodes.ok,
    data: {
      ...runToData(reading, endOf(reading, frame)),
      cost,
      prices: pricesToData(prices),
      ...(subRuns.length > 0 && {
        subRuns: subRuns.map(({ reading: one, depth }) => ({ depth, ...runToData(one, endOf(one, frame)) })),
      }),
      tool: title,
      path: log.path,
      ...(!isNamed && { ofThisProject: isHere }),
      found: Object.fromEntries(found),
      ...(report !== undefined && { report }),
    },
    lines: [...skipped, ...intro, ...renderWhy(reading, frame, context.terminal)],
  };
};

/** Prints the checkpoint of a run, for the next session or a person. */
async function handOff(
  argument: string | undefined,
  context: CommandContext,
  filters: CommandInput["options"],
): Promise<Awaited<ReturnType<CommandRun>>> {
  const states = new Map<string, CheckpointState>();
  const { reading } = await chooseRun(argument, context, {
    filters,
    onStep: ({ id, task }, step) => {
      const state = states.get(id) ?? createCheckpoint();
      states.set(id, state);
      for (const event of step) foldCheckpoint(state, event);
      state.task ??= task?.text;
    },
  });
  const checkpoint = checkpointFrom(states.get(reading.about.id) ?? createCheckpoint());
  return { exitCode: exitCodes.ok, data: { checkpoint }, lines: checkpointText(checkpoint).split("\n").map(cleanText) };
}

/** Without an argument, runs of the last day are candidates. */
const RECENT_MS = 24 * 3_600_000;

/**
 * Returns the logs that may be meant: those that match the argument or the filters; without either, recent ones of the
 * current project.
 */
async function findCandidates(
  argument: string | undefined,
  options: CommandInput["options"],
  context: CommandContext,
): Promise<readonly FoundLog[]> {
  const { cwd, now } = context;
  const { logs, part } = await chooseLogs(argument, context);
  if (part !== undefined) return [];
  const isFiltered = logFilters.some(([flags]) => options[/\w+/.exec(flags)?.[0] ?? ""] !== undefined);
  if (argument !== undefined || isFiltered) return filterLogs(logs, options, { cwd, now: now() });
  const root = projectRoot(cwd);
  return logs.filter((log) => now() - log.updatedAt < RECENT_MS && isOfProject(log, root));
}
