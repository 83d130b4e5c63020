import { codingPhases, createRun, type Meaning } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { phaseTracker } from "@phasekit/tracker";
import { createInterpreter } from "./create-interpreter.ts";
import { callsOf, type RecordedCall, type RecordedRun, readRecordedFiles, readRecordedRuns } from "./recorded-runs.ts";

/** Tools without work even for a person who reads: a note to oneself, a heading. */
const NOT_WORK = new Set(["think", "update_topic"]);

/** Agents that work on code; clerks and players of games have no phases of this kind. */
const CODING = new Set([
  "aider",
  "claude-code",
  "codex",
  "copilot-cli",
  "gemini-cli",
  "mini-swe-agent",
  "opencode",
  "openhands-events",
  "openhands-llm-request",
  "pi",
  "swe-agent",
]);

/** Tool calls by activity, one row for each agent. */
function activityTable(runs: readonly RecordedRun[]): string {
  const { interpret } = createInterpreter();
  const agents = [...new Set(runs.map(({ agent }) => agent))];
  const rows = agents.map((agent) => {
    const calls = runs.filter((run) => run.agent === agent).flatMap((run) => run.calls);
    const counts = new Map<string, number>();
    let other = 0;
    for (const { tool, input, output, failed, exitCode } of calls) {
      const activity =
        interpret(
          { tool, input },
          { outcome: failed ? "error" : "ok", output, ...(exitCode !== undefined && { exitCode }) },
        )?.activity ?? "other";
      counts.set(activity, (counts.get(activity) ?? 0) + 1);
      if (activity === "other" && !NOT_WORK.has(tool)) other += 1;
    }
    const list = [...counts].sort(([, a], [, b]) => b - a).map(([activity, count]) => `${activity} ${String(count)}`);
    return `  ${agent.padEnd(22)} ${String(calls.length).padStart(4)} calls, ${((other / calls.length) * 100).toFixed(1)} % other that a person could name: ${list.join(", ")}`;
  });
  return ["Tool calls by activity", ...rows].join("\n");
}

/** The phases that the labels of the agents study mean. */
const PHASES: Readonly<Record<string, string>> = {
  Explore: "exploring",
  Search: "exploring",
  Locate: "exploring",
  Explain: "exploring",
  "Generate Fix": "acting",
  Refactor: "acting",
  "Run tests": "verifying",
  Reproduce: "verifying",
};

/** The phase and the meaning after each call. */
function follow(calls: readonly RecordedCall[]): readonly { readonly phase: string; readonly meaning: Meaning }[] {
  const run = createRun({
    id: "run",
    graph: codingPhases,
    interpret: reading(),
    policies: [phaseTracker()],
    clock: () => 1,
  });
  let meaning: Meaning = {};
  run.subscribe((step) => {
    for (const event of step) if (event.type === "tool.finished") meaning = event.meaning;
  });
  let turn = 0;
  return calls.map((call, index) => {
    if (call.turn !== turn) run.record({ type: "turn.started" });
    turn = call.turn;
    run.record({
      type: "tool.finished",
      call: String(index),
      tool: call.tool,
      input: call.input,
      output: call.output,
      outcome: call.failed ? "error" : "ok",
    });
    return { phase: run.view.phase, meaning };
  });
}

function phasesOf(calls: readonly RecordedCall[]): readonly string[] {
  return follow(calls).map(({ phase }) => phase);
}

/** The rule of seed 000: exact tool names, words in the command. */
function seedPhases(calls: readonly RecordedCall[]): readonly string[] {
  let phase = "exploring";
  let edited = false;
  return calls.map(({ tool, input }) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    if (/^(write_file|edit_file)$/.test(tool) || (tool === "str_replace_editor" && !/"command": ?"view"/.test(text))) {
      edited = true;
      if (phase !== "verifying") phase = "acting";
    } else if (/bash/.test(tool) && /test|pytest|npm test|jest/.test(text) && edited && phase === "acting")
      phase = "verifying";
    return phase;
  });
}

const percent = (part: number, all: number): string => `${((part / Math.max(1, all)) * 100).toFixed(1)} %`;

/**
 * How often the phase after a step is the one its label means. The rules were written with the OpenHands runs in
 * sight, one of them with the misses of RepairAgent's Math 40, and none with the others.
 */
function labelTable(folder: string): string {
  const rows = readRecordedFiles(folder)
    .filter(({ agent }) => agent === "agents-study")
    .map(({ file, text, runs }) => {
      const { parts } = JSON.parse(text) as { readonly parts: Readonly<Record<string, { readonly text: string }>> };
      const lines = (parts["actions_categories"]?.text ?? "").split("\n").slice(1).filter(Boolean);
      const labels = new Map(
        lines.map((line) => [Number(line.split(",")[0]) + 1, PHASES[line.slice(line.indexOf(",") + 1).trim()]]),
      );
      const calls = runs.flatMap(callsOf);
      // A step may make several calls: the phase after the last of them counts.
      const count = (phases: readonly string[]): number =>
        calls.filter(({ turn }, index) => turn !== calls[index + 1]?.turn && labels.get(turn) === phases[index]).length;
      return {
        file,
        seen: /^openhands|Math_40/.test(file),
        steps: new Set(calls.map(({ turn }) => turn)).size,
        ours: count(phasesOf(calls)),
        theirs: count(seedPhases(calls)),
      };
    });
  const sum = (seen: boolean): string => {
    const of = rows.filter((row) => row.seen === seen);
    const all = (key: "steps" | "ours" | "theirs"): number => of.reduce((total, row) => total + row[key], 0);
    return `  ${seen ? "seen" : "not seen"}: ours ${percent(all("ours"), all("steps"))}, seed rule ${percent(all("theirs"), all("steps"))} of ${String(all("steps"))} steps`;
  };
  return [
    "Agreement with the step labels of the agents study",
    ...rows.map(
      ({ file, seen, steps, ours, theirs }) =>
        `  ${file} (${seen ? "seen" : "not seen"}): ours ${String(ours)} of ${String(steps)}, seed rule ${String(theirs)}`,
    ),
    sum(true),
    sum(false),
  ].join("\n");
}

/** The label that the study would give a call alone: looking, changing the work, or trying it out. */
function labelOf({ activity = "other", notes }: Meaning): string | undefined {
  const { scratch, program } = (notes ?? {}) as { readonly scratch?: boolean; readonly program?: boolean };
  if (activity === "read" || activity === "search" || activity === "vcs-read") return "exploring";
  if (activity === "edit") return scratch === true ? "verifying" : "acting";
  return activity === "test" || activity === "build" || activity === "lint" || (activity === "run" && program === true)
    ? "verifying"
    : undefined;
}

/**
 * Runs of the same kind as the labelled ones, without labels: how often the phase is the one that the call alone
 * suggests.
 */
function stepTable(runs: readonly RecordedRun[]): string {
  let steps = 0;
  let agree = 0;
  const missed = new Map<string, number>();
  for (const { calls } of runs.filter(({ agent }) => /^openhands|swe-agent$/.test(agent))) {
    for (const { phase, meaning } of follow(calls)) {
      const label = labelOf(meaning);
      if (label === undefined) continue;
      steps += 1;
      if (label === phase) agree += 1;
      else missed.set(`${label} read as ${phase}`, (missed.get(`${label} read as ${phase}`) ?? 0) + 1);
    }
  }
  const list = [...missed].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} ${String(count)}`);
  return [
    "OpenHands and SWE-agent runs without labels, call by call",
    `  the phase is what the call alone says: ${String(agree)} of ${String(steps)} (${percent(agree, steps)}); else: ${list.join(", ")}`,
  ].join("\n");
}

/** The phase entries of each run, with their calls. */
function phaseTable(runs: readonly RecordedRun[]): string {
  const rows = runs.map(({ agent, name, calls }) => {
    const entries: { phase: string; from: number; to: number }[] = [];
    for (const [index, phase] of phasesOf(calls).entries()) {
      const last = entries.at(-1);
      if (last?.phase === phase) last.to = index;
      else entries.push({ phase, from: index, to: index });
    }
    const spans = entries.map(({ phase, from, to }) => `${phase} ${String(from)}–${String(to)}`);
    return `  ${agent}/${name}: ${spans.join(", ")}`;
  });
  return ["Phases by call", ...rows].join("\n");
}

/** All measurements on recorded runs, as text. */
export function trackerReport(folder: string): string {
  const runs = readRecordedRuns(folder).filter(
    ({ agent, name }) => CODING.has(agent) || (agent === "agents-study" && name.startsWith("openhands")),
  );
  return [activityTable(runs), labelTable(folder), stepTable(runs), phaseTable(runs)].join("\n\n");
}
