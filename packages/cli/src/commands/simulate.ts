import type { Mode } from "@phasekit/core";
import type { CommandContext, CommandRun } from "../command.ts";
import { choiceOption, textOption } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { createPlayer, type PlayOptions, playTogether } from "../logs/play-items.ts";
import { playLog } from "../logs/read-log.ts";
import type { LogTotals } from "../logs/log-totals.ts";
import { readLogs } from "../logs/read-logs.ts";
import { createProgress } from "../progress.ts";
import { renderSimulation } from "../render/simulation.ts";
import { configuredSet, loadPolicySet, type PolicySet } from "../run-presets.ts";
import {
  createPolicyTally,
  createShortStory,
  type PolicyTally,
  type ShortStory,
  simulatedRun,
  type SimulatedRun,
  type SimulationTotals,
  totalsOf,
} from "../story/simulation.ts";

/** The result of one policy set. */
export interface SimulationResult {
  readonly policy: string;
  readonly totals: SimulationTotals;
  readonly policies: readonly PolicyTally[];
  readonly runs: readonly SimulatedRun[];
}

/** Back-tests policies on old runs. */
export const simulate: CommandRun = async ({ args, options }, context) => {
  const { terminal, cwd, now } = context;
  const mode = choiceOption(options, "mode", ["observe", "nudge", "gate"]) ?? "gate";
  const named = textOption(options, "policy");
  const compared = textOption(options, "compare");
  const sets = [
    named === undefined ? await configuredSet(await context.config()) : await loadPolicySet(named, cwd),
    ...(compared === undefined ? [] : [await loadPolicySet(compared, cwd)]),
  ];
  const chosen =
    args.length === 0
      ? [await chooseLogs(undefined, context)]
      : await Promise.all(args.map((argument) => chooseLogs(argument, context)));
  const logs = chosen.flatMap((choice) => choice.logs);
  const started = now();
  const { simulated, read } = await play(sets, { logs, mode, context });
  const elapsedMs = now() - started;
  const isEmpty = simulated[0]?.totals.runs === 0;
  return {
    exitCode: isEmpty ? exitCodes.noData : exitCodes.ok,
    data: { mode, simulated, ...read, elapsedMs },
    lines: renderSimulation({ mode, simulated, read, elapsedMs }, terminal),
  };
};

/** Plays every log once through all policy sets. */
async function play(
  sets: readonly PolicySet[],
  {
    logs,
    mode,
    context: { terminal, signal },
  }: { readonly logs: readonly FoundLog[]; readonly mode: Mode; readonly context: CommandContext },
): Promise<{ readonly simulated: readonly SimulationResult[]; readonly read: LogTotals }> {
  const sides = sets.map((set) => {
    const tally = createPolicyTally();
    const playing: PlayOptions<ShortStory> = {
      // The events are neither stored nor shown, so they need no redaction.
      runOptions: { ...set.options(mode), redact: undefined },
      story: () =>
        createShortStory({
          counted: ({ applied }) => applied || mode === "observe",
          onIntervention: tally.startRun(),
        }),
    };
    return { name: set.name, playing, tally, runs: [] as SimulatedRun[] };
  });
  const read = await readLogs(logs, {
    read: (log) => playLog(log, playTogether(sides.map(({ playing }) => createPlayer(playing)))),
    take: (reading, log) => {
      for (const [place, story] of reading.story.entries())
        sides[place]?.runs.push(simulatedRun({ ...reading, story }, log.name));
    },
    progress: createProgress(terminal, { total: logs.length }),
    signal,
  });
  return {
    simulated: sides.map(({ name, runs, tally }) => ({
      policy: name,
      totals: totalsOf(runs),
      policies: tally.get(),
      runs,
    })),
    read,
  };
}
