import type { Mode } from "@phasekit/core";
import type { CommandContext, CommandRun } from "../command.ts";
import { choiceOption, textOption } from "../command-options.ts";
import { unreadableLog } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { type ReadLogs, tellLogs } from "../logs/tell-logs.ts";
import { createProgress } from "../progress.ts";
import { renderSimulation } from "../render/simulation.ts";
import { configuredSet, loadPolicySet, type PolicySet } from "../run-presets.ts";
import { createPolicyTally, createShortStory, type PolicyTally, simulatedRun, type SimulatedRun, type SimulationTotals, totalsOf } from "../story/simulation.ts";

/** What one set of policies came to. */
export interface Simulated {
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
    named === undefined ? configuredSet(await context.config()) : await loadPolicySet(named, cwd),
    ...(compared === undefined ? [] : [await loadPolicySet(compared, cwd)]),
  ];
  const chosen = args.length === 0 ? [await chooseLogs(undefined, context)] : await Promise.all(args.map((argument) => chooseLogs(argument, context)));
  const logs = chosen.flatMap((choice) => choice.logs);
  const started = now();
  const simulated: Simulated[] = [];
  let read: ReadLogs | undefined;
  for (const set of sets) {
    const played = await play(set, { logs, mode, context });
    read = played.read;
    simulated.push(played.simulated);
  }
  const [first] = read?.unreadable ?? [];
  if (first !== undefined && read?.logs === 0) throw unreadableLog(first.path, first.message);
  const elapsedMs = now() - started;
  const isEmpty = simulated[0]?.totals.runs === 0;
  return {
    exitCode: isEmpty ? exitCodes.noData : exitCodes.ok,
    data: { mode, simulated, ...read, elapsedMs },
    lines: renderSimulation({ mode, simulated, read, elapsedMs }, terminal),
  };
};

async function play(set: PolicySet, { logs, mode, context: { terminal, signal } }: { readonly logs: readonly FoundLog[]; readonly mode: Mode; readonly context: CommandContext }): Promise<{ readonly simulated: Simulated; readonly read: ReadLogs }> {
  const tally = createPolicyTally();
  const runs: SimulatedRun[] = [];
  const read = await tellLogs(logs, {
    // Nothing of these runs is stored or shown, so nothing has to be taken out of them.
    runOptions: () => ({ ...set.options(mode), redact: undefined }),
    decideAgain: true,
    story: () => createShortStory({ count: mode === "observe" ? "decided" : "applied" }),
    onStep: ({ id }, step) => { tally.add(id, step); },
    take: (told, log) => { runs.push(simulatedRun(told, log.name)); },
    progress: createProgress(terminal, { total: logs.length }),
    signal,
  });
  return { simulated: { policy: set.name, totals: totalsOf(runs), policies: tally.get(), runs }, read };
}
