import type { RunEvent } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import { setTimeout as sleep } from "node:timers/promises";
import { fitText, padText, safeLine } from "../clean-text.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { filterLogs, sinceOption } from "../logs/filter-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { logPlaces } from "../logs/log-places.ts";
import { statOf } from "../logs/stat-of.ts";
import { loadPrices } from "../money/price-list.ts";
import { type RunCost, runCost } from "../money/run-cost.ts";
import { costCell } from "../render/cost-text.ts";
import { eventLine } from "../render/event-line.ts";
import { safeJson } from "../render/safe-json.ts";
import { nameOf, renderWatch } from "../render/watch-lines.ts";
import { configuredSet } from "../run-presets.ts";
import type { TerminalScreen } from "../terminal-screen.ts";
import { createFramePainter } from "../watch/frame-painter.ts";
import { createMachineWatch, findOrNone, type MachineRun, type MachineWatch } from "../watch/watch-machine.ts";

/** Runs are live if their log was written within this time. */
const WINDOW = "15m";
const FRAME_MS = 250;
const JSON_MS = 1000;

/** Shows all live runs of this machine until the user leaves. */
export const watch: CommandRun = async ({ options }, context) => {
  const { terminal, json, now, signal, cwd } = context;
  const filters = { ...options, since: textOption(options, "since") ?? WINDOW };
  const find = async () =>
    filterLogs((await chooseLogs(undefined, context)).logs, filters, { cwd, now: now() }).flatMap(withOwnLog);
  // A mistake in an option ends the command before the screen changes.
  sinceOption(filters.since, now());
  await findOrNone(find);
  const set = await configuredSet(await context.config());
  const leaving = new AbortController();
  const leave = (): void => {
    leaving.abort();
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  const isOnce = isSet(options, "once");
  const startedAt = now();
  const machine = createMachineWatch({
    find: () => findOrNone(find),
    tools: new Map(logPlaces(context.env).map(({ tool, title }) => [tool, title])),
    runOptions: set.options("observe"),
    now,
    signal: leaving.signal,
    ...(!json &&
      !isOnce &&
      terminal.screen === undefined && {
        onStep: (run, step) => {
          printNews(run, step, { since: startedAt, context });
        },
      }),
  });
  const prices = loadPrices(textOption(options, "prices"), cwd);
  const costOf = ({ story }: MachineRun): RunCost => runCost(story.models, prices);
  const frame = {
    colors: terminal.colors,
    window: windowText(filters.since),
    cost: (run: MachineRun) => costCell(costOf(run)),
  };
  if (isOnce) await machine.caughtUp();
  else if (json) await streamJson(machine, { context, costOf, signal: leaving.signal });
  else if (terminal.screen === undefined) {
    await machine.caughtUp();
    const lines = renderWatch(machine.runs(), { ...frame, columns: terminal.columns, now: now() });
    if (!leaving.signal.aborted) terminal.out(`${lines.map(safeLine).join("\n")}\n`);
    await machine.ended;
  } else {
    const { screen } = terminal;
    await showScreen(machine, {
      screen,
      out: terminal.out,
      signal: leaving.signal,
      leave,
      lines: () => renderWatch(machine.runs(), { ...frame, ...screen.size(), now: now(), hint: "q or Ctrl-C quits" }),
    });
  }
  const runs = machine.runs();
  leave();
  await machine.ended;
  return {
    exitCode: exitCodes.ok,
    data: { runs: runs.map((run) => runData(run, costOf(run))) },
    lines: isOnce ? renderWatch(runs, { ...frame, columns: terminal.columns, now: now() }) : [],
  };
};

/** A live session, and the tool's own log of it: it has the tokens. */
function withOwnLog({ ownLog, ...log }: FoundLog): readonly FoundLog[] {
  const stats = ownLog === undefined ? undefined : statOf(ownLog);
  if (ownLog === undefined || stats === undefined) return [log];
  return [log, { tool: log.tool, title: log.title, path: ownLog, name: ownLog, ...stats }];
}

/** Paints the runs a few times per second until the user leaves. */
async function showScreen(
  machine: MachineWatch,
  {
    screen,
    out,
    signal,
    leave,
    lines,
  }: {
    readonly screen: TerminalScreen;
    readonly out: (text: string) => void;
    readonly signal: AbortSignal;
    readonly leave: () => void;
    readonly lines: () => readonly string[];
  },
): Promise<void> {
  const painter = createFramePainter(screen, out);
  const stopKeys = screen.onKey(({ name, ctrl }) => {
    if (name === "q" || name === "escape" || (ctrl && (name === "c" || name === "d"))) leave();
  });
  try {
    painter.paint(["Looking for live runs …"]);
    // Not every log is read at the first frame of a large one; the rows fill up.
    await Promise.race([machine.caughtUp(), sleep(4 * FRAME_MS)]);
    while (!signal.aborted) {
      painter.paint(lines());
      await sleep(FRAME_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    stopKeys();
    painter.leave();
  }
}

/** Prints what happens from now on, a line per event. */
function printNews(
  run: MachineRun,
  step: readonly RunEvent[],
  { since, context: { terminal } }: { readonly since: number; readonly context: CommandContext },
): void {
  const { colors, columns } = terminal;
  const name = padText(fitText(nameOf(run), 32), 32);
  for (const event of step) {
    if (event.at < since) continue;
    const line = eventLine(event, { colors, width: Math.max(20, columns - 34) });
    if (line !== undefined) terminal.out(`${safeLine(`${name}  ${line}`)}\n`);
  }
}

/** Prints an object for every run that changed, at most once per second. */
async function streamJson(
  machine: MachineWatch,
  {
    context: { terminal },
    costOf,
    signal,
  }: {
    readonly context: CommandContext;
    readonly costOf: (run: MachineRun) => RunCost;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const printed = new Map<string, string>();
  await machine.caughtUp();
  while (!signal.aborted) {
    const runs = machine.runs();
    const live = new Set<string>();
    for (const run of runs) {
      const key = `${run.log.path} ${run.about.id}`;
      const text = safeJson({ v: 2, command: "watch", event: "run", ...runData(run, costOf(run)) });
      live.add(key);
      if (printed.get(key) !== text) terminal.out(`${text}\n`);
      printed.set(key, text);
    }
    for (const key of printed.keys()) if (!live.has(key)) printed.delete(key);
    await sleep(JSON_MS, undefined, { signal }).catch(() => undefined);
  }
}

function runData({ about, agent, project, state, story, alert, owed, log }: MachineRun, { usd }: RunCost): object {
  const { phase, phases, turns, calls, tokens, reason, startedAt, endedAt } = story;
  return {
    id: about.id,
    agent,
    ...(project !== undefined && { project }),
    state,
    ...(reason !== undefined && { reason }),
    phase,
    phases: phases.map(({ phase: name, share }) => ({ phase: name, share })),
    turns,
    calls,
    ...(tokens !== undefined && { tokens }),
    ...(usd !== undefined && { usd }),
    ...(alert !== undefined && { alert }),
    owed,
    ...(story.blind.length > 0 && { blind: story.blind }),
    startedAt,
    updatedAt: endedAt,
    path: log.path,
  };
}

const UNITS: Readonly<Record<string, string>> = tableOf({ m: "min", h: "h", d: "days", w: "weeks" });

const windowText = (since: string): string =>
  /^\d+[mhdw]$/.test(since) ? `${since.slice(0, -1)} ${UNITS[since.slice(-1)] ?? ""}` : `time since ${since}`;
