import type { CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { lostRecords } from "../logs/tell-logs.ts";
import { titleOf } from "../logs/tool-title.ts";
import { plural } from "../render/numbers.ts";
import { toldToData } from "../render/told-to-data.ts";
import { isLive, renderWhy } from "../render/why.ts";

/** Says why a run stopped. */
export const why: CommandRun = async ({ args: [argument], options }, context) => {
  const { told, log, report, format, runs, found } = await chooseRun(argument, context);
  const title = titleOf(format, log);
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
  const intro = total === 0 || context.terminal.isAgent ? [] : [`Found ${plural(total, "log")} (${counts}). The newest:`];
  return {
    exitCode: exitCodes.ok,
    data: { ...toldToData(told), live: isLive(told, frame.now), tool: title, path: log.path, found: Object.fromEntries(found), ...(report !== undefined && { report }) },
    lines: [...intro, ...renderWhy(told, frame, context.terminal)],
  };
};
