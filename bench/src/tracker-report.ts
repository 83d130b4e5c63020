import { codingPhases, createRun } from "@phasekit/core";
import { codingInterpreter, phaseTracker } from "@phasekit/tracker";
import { type LabelledRun, type RecordedCall, type RecordedRun, readLabelledRuns, readRecordedRuns } from "./tracker-trajectories.ts";

/** Tools that say nothing about work even to a person: a note to oneself, a heading. */
const NOT_WORK = new Set(["think", "update_topic"]);

/** Tool calls by activity, one row for each agent. */
function activityTable(runs: readonly RecordedRun[]): string {
  const { interpret } = codingInterpreter();
  const agents = [...new Set(runs.map(({ agent }) => agent))];
  const rows = agents.map((agent) => {
    const calls = runs.filter((run) => run.agent === agent).flatMap((run) => run.calls);
    const counts = new Map<string, number>();
    let other = 0;
    for (const { tool, input, output, failed } of calls) {
      const activity = interpret({ tool, input }, { outcome: failed ? "error" : "ok", output })?.activity ?? "other";
      counts.set(activity, (counts.get(activity) ?? 0) + 1);
      if (activity === "other" && !NOT_WORK.has(tool)) other += 1;
    }
    const list = [...counts].sort(([, a], [, b]) => b - a).map(([activity, count]) => `${activity} ${String(count)}`);
    return `  ${agent.padEnd(22)} ${String(calls.length).padStart(4)} calls, ${((other / calls.length) * 100).toFixed(1)} % other that a person could name: ${list.join(", ")}`;
  });
  return ["Tool calls by activity", ...rows].join("\n");
}

/** What the labels of the agents study mean in phases. */
const PHASES: Readonly<Record<string, string>> = {
  Explore: "exploring", Search: "exploring", Locate: "exploring", Explain: "exploring", "Generate Fix": "acting", Refactor: "acting", "Run tests": "verifying", Reproduce: "verifying",
};

/** The phase after each call. */
function phasesOf(calls: readonly RecordedCall[]): readonly string[] {
  const run = createRun({ id: "run", graph: codingPhases, interpret: codingInterpreter(), policies: [phaseTracker()], clock: () => 1 });
  let turn = 0;
  return calls.map((call, index) => {
    if (call.turn !== turn) run.record({ type: "turn.started" });
    turn = call.turn;
    run.record({ type: "tool.finished", call: String(index), tool: call.tool, input: call.input, output: call.output, outcome: call.failed ? "error" : "ok" });
    return run.view.phase;
  });
}

/** Seed 000's own rule: exact tool names, words in the command. */
function seedPhases(calls: readonly RecordedCall[]): readonly string[] {
  let phase = "exploring";
  let edited = false;
  return calls.map(({ tool, input }) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    if (/^(write_file|edit_file)$/.test(tool) || (tool === "str_replace_editor" && !/"command": ?"view"/.test(text))) {
      edited = true;
      if (phase !== "verifying") phase = "acting";
    } else if (/bash/.test(tool) && /test|pytest|npm test|jest/.test(text) && edited && phase === "acting") phase = "verifying";
    return phase;
  });
}

/** How often the phase after a step is the one its label means, for each labelled run. */
function labelTable(runs: readonly LabelledRun[]): string {
  const rows = runs.map(({ name, calls, labels }, index) => {
    const count = (phases: readonly string[]): number => phases.filter((phase, step) => PHASES[labels[step] ?? ""] === phase).length;
    const ours = count(phasesOf(calls));
    const theirs = count(seedPhases(calls));
    return { name, half: index % 2 === 0 ? "first" : "second", steps: calls.length, ours, theirs };
  });
  const percent = (part: number, all: number): string => `${((part / Math.max(1, all)) * 100).toFixed(1)} %`;
  const sum = (half: string): string => {
    const of = rows.filter((row) => row.half === half);
    const steps = of.reduce((total, row) => total + row.steps, 0);
    return `  ${half} half: ours ${percent(of.reduce((total, row) => total + row.ours, 0), steps)}, seed rule ${percent(of.reduce((total, row) => total + row.theirs, 0), steps)} of ${String(steps)} steps`;
  };
  return ["Agreement with the step labels of the agents study (OpenHands)", ...rows.map(({ name, steps, ours, theirs }) => `  ${name}: ours ${String(ours)} of ${String(steps)}, seed rule ${String(theirs)}`), sum("first"), sum("second")].join("\n");
}

/** The phases of each run, with the calls of each stay. */
function phaseTable(runs: readonly RecordedRun[]): string {
  const rows = runs.map(({ agent, name, calls }) => {
    const stays: { phase: string; from: number; to: number }[] = [];
    for (const [index, phase] of phasesOf(calls).entries()) {
      const last = stays.at(-1);
      if (last?.phase === phase) last.to = index;
      else stays.push({ phase, from: index, to: index });
    }
    return `  ${agent}/${name}: ${stays.map(({ phase, from, to }) => `${phase} ${String(from)}–${String(to)}`).join(", ")}`;
  });
  return ["Phases by call", ...rows].join("\n");
}

/** Everything that is measured on recorded runs, as text. */
export function trackerReport(folder: string): string {
  const runs = readRecordedRuns(folder);
  return [activityTable(runs), labelTable(readLabelledRuns(folder)), phaseTable(runs)].join("\n\n");
}
