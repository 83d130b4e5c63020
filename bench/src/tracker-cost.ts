import { codingPhases, createRun, isHostEvent, type RunEvent } from "@phasekit/core";
import { reading, readShell, readTestOutput } from "@phasekit/reading";
import { phaseTracker } from "@phasekit/tracker";
import { createInterpreter } from "./create-interpreter.ts";
import { defineComparison, type Row } from "./comparison.ts";
import { difference, measureInterleaved, median, type Pause } from "./measure.ts";
import { NO_RECORDED_RUNS, type RecordedRun, readRecordedRuns, trajectoryFolder } from "./recorded-runs.ts";

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

/** Commands, outputs and edits that aim at the time of their reader. */
const hostile: Readonly<Record<string, () => unknown>> = {
  "a command of 10 MB": line("npm test ".repeat(1_200_000)),
  "100,000 nested substitutions": line("$(".repeat(100_000)),
  "50,000 empty substitutions": line(`a ${"$() ".repeat(50_000)}`),
  "50,000 blocks of PowerShell": line(`a ${"{ } ".repeat(50_000)}`),
  "50,000 heredocs": line("cat <<a\n".repeat(50_000)),
  "50,000 assignments": line("a= ".repeat(50_000)),
  "100,000 commands": line("a;".repeat(100_000)),
  "a heredoc of 10 MB": line(`cat > big <<EOF\n${"x = 1\n".repeat(1_700_000)}EOF\nnpm test`),
  "a test output of 100,000 blank lines": output(" \n".repeat(100_000)),
  "a test output of 10,000 beginnings": output("Running 1 tests using 1 worker\n_____ \n".repeat(10_000)),
  "a test of 100,000 blank lines": edit("\n".repeat(100_000)),
  "a test of 30,000 open comments": edit("it./* ".repeat(30_000)),
  "a cell of 100,000 blank lines": code("\n".repeat(100_000)),
};

const rows: Readonly<Record<string, Row>> = {
  all: { what: "reading + tracker, mean over recorded runs", unit: "×", target: 9 },
  interpreter: { what: "  of it reading() by itself", unit: "×" },
  shell: { what: "  of that reading the command lines, each once", unit: "×" },
  ...Object.fromEntries(
    Object.keys(hostile).map((name): [string, Row] => [name, { what: `worst case: ${name}`, unit: "ms", target: 500 }]),
  ),
};

/** The cost of the tracker and of reading on recorded runs, and on hostile input. */
export const trackerCost = defineComparison({
  title: "Tracker and reading: interpreter and phase tracking per tool event",
  baseline: "JSON.stringify of the same events, as stored",
  rows,
  missing: () => (trajectoryFolder() === undefined ? NO_RECORDED_RUNS : undefined),
  measure: async ({ now, pause, row }) => {
    now("read the recorded runs");
    await pause(0, 1);
    const runs = readRecordedRuns(trajectoryFolder() ?? "");
    const events = runs
      .flatMap((run) => record(run, "tracked"))
      .filter((event) => isHostEvent(event) && event.type === "tool.finished");
    now("record them");
    const time = await measureRuns(runs, { events, pause });
    const baseline = median(time.stringify);
    row("all", median(difference(time.tracked, time.bare)) / baseline);
    row("interpreter", median(time.interpreter) / baseline);
    row("shell", median(time.shell) / baseline);
    now("hostile input");
    for (const [index, [name, work]] of Object.entries(hostile).entries()) {
      await pause(index, Object.keys(hostile).length);
      row(name, timeOf(work));
    }
    return [
      `${String(events.length)} tool events of ${String(runs.length)} runs; stringify takes ${(baseline / 1000).toFixed(1)} µs.`,
      "Each is recorded in a new run, so the cache of commands starts empty.",
      "The first row is a run with interpreter and tracker less one without:",
      "the work of core to store a meaning and to move is part of it.",
    ];
  },
});

function measureRuns(
  runs: readonly RecordedRun[],
  { events, pause }: { readonly events: readonly RunEvent[]; readonly pause: Pause },
) {
  const lines = runs.flatMap((run) => [...new Set(run.calls.flatMap(({ input }) => commandIn(input)))]);
  return measureInterleaved(
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
    { blocks: 15, count: events.length, warmUp: 40, pause },
  );
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

/** Milliseconds of one call. */
function timeOf(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Records a run with interpreter and tracker, or with neither. */
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
