import { isPhasekitError } from "@phasekit/core";
import type { CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { isOfProject, projectRoot } from "../logs/log-folder.ts";
import { lostRecords } from "../logs/log-totals.ts";
import { plural } from "../render/numbers.ts";
import { runToData } from "../render/run-to-data.ts";
import { isLive, renderWhy } from "../render/why.ts";

/** Explains why a run stopped. */
export const why: CommandRun = async ({ args: [argument], options }, context) => {
  const { reading, log, report, title, runs, found, problem } = await chooseRun(argument, context, {
    filters: options,
    useIndex: true,
  });
  const frame = {
    log,
    title,
    now: context.now(),
    lost: lostRecords(report),
    others: runs.filter(({ about }) => about.parent === undefined).length - 1,
    showTask: isSet(options, "task"),
  };
  const counts = [...found].map(([name, count]) => `${name} ${String(count)}`).join(", ");
  const total = [...found.values()].reduce((sum, count) => sum + count, 0);
  const isHere = isOfProject(log, projectRoot(context.cwd));
  const which = isHere ? "Newest of this project:" : "None is of this project; newest of another:";
  const intro = total === 0 || context.terminal.isAgent ? [] : [`Found ${plural(total, "log")} (${counts}). ${which}`];
  // An older run must not pass for the newest one.
  const isStore = isPhasekitError(problem, "UNREADABLE_STORE") || isPhasekitError(problem, "CANNOT_UNPACK");
  const skipped = isStore ? [`Skipped a newer log: ${problem.message} ${problem.hint ?? ""}`] : [];
  return {
    exitCode: exitCodes.ok,
    data: {
      ...runToData(reading),
      live: isLive(reading, frame.now),
      tool: title,
      path: log.path,
      ...(argument === undefined && { ofThisProject: isHere }),
      found: Object.fromEntries(found),
      ...(report !== undefined && { report }),
    },
    lines: [...skipped, ...intro, ...renderWhy(reading, frame, context.terminal)],
  };
};
