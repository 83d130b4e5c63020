import { createStory } from "@phasekit/ledger/story";
import type { RunEvent } from "@phasekit/core";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { followLog } from "../logs/follow-log.ts";
import { openStore } from "../logs/own-runs.ts";
import { readLog } from "../logs/read-log.ts";
import { eventLines } from "../render/event-line.ts";
import { configuredSet } from "../run-presets.ts";

/** Follows a run. Policies decide on logs of other tools as they grow; own runs show their recorded decisions. */
export const tail: CommandRun = async ({ args: [argument], options }, context) => {
  const { terminal, json, signal } = context;
  const {
    logs: [log],
  } = await chooseLogs(argument, context);
  if (log === undefined) throw badArgument("Found no run to follow", "Name one: `phasekit tail <log or run id>`.");
  const follows = options["follow"] !== false && !json;
  const lines: string[] = [];
  const show = (events: readonly RunEvent[]): void => {
    const { colors, columns: width } = terminal;
    const rendered = events.flatMap((event) => eventLines(event, { colors, width, all: isSet(options, "all") }));
    if (json) lines.push(...rendered);
    else for (const line of rendered) terminal.out(`${line}\n`);
  };
  if (!follows) await showAll(log, show, context);
  else if (log.run !== undefined) await followOwn(log.path, log.run, { show, signal });
  else {
    const set = await configuredSet(await context.config());
    await followLog(log.path, { show, signal, runOptions: set.options("observe") });
  }
  return { exitCode: exitCodes.ok, data: { path: log.path, lines }, lines: [] };
};

type Show = (events: readonly RunEvent[]) => void;

async function showAll(log: FoundLog, show: Show, context: CommandContext): Promise<void> {
  const set = await configuredSet(await context.config());
  await readLog(log, {
    story: createStory,
    runOptions: set.options("observe"),
    onStep: (_about, step) => {
      show(step);
    },
  });
}

/** Follows until the run ends or the user presses Ctrl-C. */
async function followOwn(
  folder: string,
  run: string,
  { show, signal }: { readonly show: Show; readonly signal: AbortSignal },
): Promise<void> {
  const batches = (await openStore(folder)).tail(run)[Symbol.asyncIterator]();
  const leave = (): void => void batches.return?.();
  signal.addEventListener("abort", leave);
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
    show(next.value);
    if (next.value.some(({ type }) => type === "run.finished")) return leave();
  }
}
