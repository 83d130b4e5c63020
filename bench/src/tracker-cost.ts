import { createRun, isHostEvent, type RunEvent } from "@phasekit/core";
import { codingPhases } from "@phasekit/core/presets";
import { reading, readShell, readTestOutput } from "@phasekit/reading";
import { phaseTracker } from "@phasekit/tracker";
import { createInterpreter } from "./create-interpreter.ts";
import { difference, measureInterleaved, median } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { type RecordedRun, readRecordedRuns, trajectoryFolder } from "./recorded-runs.ts";

/** What the tracker costs on recorded runs; a story without results when the data is not there. */
export function trackerCost(): Story {
  const folder = trajectoryFolder();
  const title = "Tracker and reading: interpreter and phase tracking per tool event";
  const baseline = "JSON.stringify of the same events, as stored";
  if (folder === undefined)
    return {
      title,
      baseline,
      results: [],
      notes: ["No recorded runs found: set PHASEKIT_DATA to the folder that holds `trajectories`."],
    };
  const runs = readRecordedRuns(folder);
  const stored = runs.map((run) => record(run, "tracked"));
  const events = stored.flat().filter((event) => isHostEvent(event) && event.type === "tool.finished");
  const calls = events.length;
  const lines = runs.flatMap((run) => [...new Set(run.calls.flatMap(({ input }) => commandIn(input)))]);

  const samples = measureInterleaved(
    [
      {
        name: "stringify",
        run: () => {
          for (const event of events) JSON.stringify(event);
        },
      },
      {
        name: "bare",
        run: () => {
          for (const run of runs) record(run, "bare");
        },
      },
      {
        name: "tracked",
        run: () => {
          for (const run of runs) record(run, "tracked");
        },
      },
      {
        name: "interpreter",
        run: () => {
          for (const run of runs) interpretAll(run);
        },
      },
      {
        name: "shell",
        run: () => {
          for (const line of lines) readShell(line);
        },
      },
    ],
    { blocks: 15, count: calls, warmUp: 40 },
  );
  const baselineCost = median(samples.stringify);
  const cost = median(difference(samples.tracked, samples.bare)) / baselineCost;
  return {
    title,
    baseline,
    results: [
      { what: "reading + tracker, mean over recorded runs", value: cost, unit: "×", target: 1.5 },
      { what: "  of it reading() by itself", value: median(samples.interpreter) / baselineCost, unit: "×" },
      {
        what: "  of that reading the command lines, each once",
        value: median(samples.shell) / baselineCost,
        unit: "×",
      },
      ...HOSTILE.map(([what, work]) => ({
        what: `worst case: ${what}`,
        value: slowest(work),
        unit: "ms" as const,
        target: 500,
      })),
    ],
    notes: [
      `${String(calls)} tool events of ${String(runs.length)} runs, ${(baselineCost / 1000).toFixed(1)} µs to stringify one; a fresh run each, so the cache of commands starts empty.`,
      "The first line is a run with interpreter and tracker less one without: what core does to store a meaning and to move is part of it.",
    ],
  };
}

/** The command of a shell call, in the two forms most agents use. */
function commandIn(input: unknown): readonly string[] {
  const { command, cmd } = (typeof input === "object" && input !== null ? input : {}) as Readonly<
    Record<string, unknown>
  >;
  const line = command ?? cmd;
  return typeof line === "string" ? [line] : [];
}

function interpretAll({ calls }: RecordedRun): void {
  const { interpret } = createInterpreter();
  for (const { tool, input, output, failed } of calls)
    interpret({ tool, input }, { outcome: failed ? "error" : "ok", output });
}

const { interpret: read } = createInterpreter({ cacheSize: 0 });
const line = (command: string) => (): unknown => readShell(command);
const output = (text: string) => (): unknown => readTestOutput({ output: text, trusted: false });
const edit = (text: string) => (): unknown =>
  read(
    { tool: "Edit", input: { file_path: "a.test.ts", old_string: text, new_string: `${text}.` } },
    { outcome: "ok", output: text },
  );
const code = (text: string) => (): unknown =>
  read({ tool: "execute_ipython_cell", input: { code: text } }, { outcome: "ok", output: text });

const HOSTILE: readonly (readonly [what: string, work: () => unknown])[] = [
  ["a command of 10 MB", line("npm test ".repeat(1_200_000))],
  ["100,000 nested substitutions", line("$(".repeat(100_000))],
  ["50,000 empty substitutions", line(`a ${"$() ".repeat(50_000)}`)],
  ["50,000 blocks of PowerShell", line(`a ${"{ } ".repeat(50_000)}`)],
  ["50,000 heredocs", line("cat <<a\n".repeat(50_000))],
  ["50,000 assignments", line("a= ".repeat(50_000))],
  ["100,000 commands", line("a;".repeat(100_000))],
  ["a heredoc of 10 MB", line(`cat > big <<EOF\n${"x = 1\n".repeat(1_700_000)}EOF\nnpm test`)],
  ["a test output of 100,000 blank lines", output(" \n".repeat(100_000))],
  ["a test output of 10,000 beginnings", output("Running 1 tests using 1 worker\n_____ \n".repeat(10_000))],
  ["a test of 100,000 blank lines", edit("\n".repeat(100_000))],
  ["a test of 30,000 open comments", edit("it./* ".repeat(30_000))],
  ["a cell of 100,000 blank lines", code("\n".repeat(100_000))],
];

function slowest(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Records a run with the tracker, or with what core does anyway. */
function record({ calls }: RecordedRun, how: "tracked" | "bare"): readonly RunEvent[] {
  const run = createRun({
    id: "run",
    graph: codingPhases,
    clock: () => 1,
    ...(how === "tracked" ? { interpret: reading(), policies: [phaseTracker()] } : { interpret: [] }),
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  for (const [index, { tool, input, output, failed }] of calls.entries()) {
    run.record({ type: "tool.finished", call: String(index), tool, input, output, outcome: failed ? "error" : "ok" });
  }
  return events;
}
