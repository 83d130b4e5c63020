import type { CommandRun } from "../command.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { ofProjectFirst } from "../logs/choose-run.ts";
import { filterLogs } from "../logs/filter-logs.ts";
import { nearestName } from "../nearest-name.ts";
import { canPick, pickLog } from "../pick/pick-log.ts";

/** The commands that take one run. */
const COMMANDS = ["why", "check", "tail", "report", "export"] as const;
const MAX_CHOICES = 500;

/** Lets the person at the terminal pick a run, then runs a command on it. */
export const pick: CommandRun = async ({ args: [command = "why"], options }, context) => {
  if (!COMMANDS.some((name) => name === command)) {
    const near = nearestName(command, COMMANDS);
    throw badArgument(
      `\`pick\` cannot run "${command}" on a run`,
      near === undefined ? `Use one of: ${COMMANDS.join(", ")}.` : `Did you mean \`phasekit pick ${near}\`?`,
    );
  }
  if (!canPick(context))
    throw badArgument(
      "`pick` needs a terminal with a person: input and output must not be redirected",
      `Name a run instead: \`phasekit ${command} <run>\`. List runs with \`phasekit runs\`.`,
    );
  const { cwd, now } = context;
  const { logs } = await chooseLogs(undefined, context);
  const wanted = ofProjectFirst(filterLogs(logs, options, { cwd, now: now() }), cwd).slice(0, MAX_CHOICES);
  const log = await pickLog(wanted, `Pick a run for \`phasekit ${command}\``, context);
  if (log === undefined) return { exitCode: exitCodes.ok, data: {}, lines: [] };
  return await context.runCommand(command, { args: [log.name], options: {} });
};
