import { codingPhases, createRun, type NewEvent, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { reading } from "@phasekit/reading";
import { type CodingPhase, phaseTracker } from "../src/phase-tracker.ts";

export { reading };

/** One call, as the seed cases write it. */
export interface Step {
  readonly tool: string;
  readonly args?: unknown;
  readonly ok?: boolean;
  readonly denied?: boolean;
  readonly output?: unknown;
}

/** A finished call as a fact. */
export function finished({ tool, args, ok = true, denied = false, output }: Step): NewEvent {
  return {
    type: "tool.finished",
    tool,
    input: args,
    outcome: denied ? "denied" : ok ? "ok" : "error",
    ...(output !== undefined && { output }),
  };
}

export const read = (path: string): Step => ({ tool: "read_file", args: { path } });
export const edit = (path: string): Step => ({ tool: "edit_file", args: { path } });
export const bash = (command: string, output?: unknown, ok = true): Step => ({
  tool: "bash",
  args: { command },
  ok,
  ...(output !== undefined && { output }),
});

/** Endless, ever different reads: they fill what is bounded early. */
export const endlessReads = (n: number): NewEvent => finished(read(`src/file-${String(n)}.ts`));

/** A coding run that keeps its log. Each step is a turn of its own unless `feed` is given several at once. */
export function codingRun(options: Partial<RunOptions<CodingPhase>> = {}): {
  readonly run: Run<CodingPhase>;
  readonly events: RunEvent[];
  readonly take: (...steps: readonly Step[]) => void;
  readonly phases: () => readonly string[];
} {
  const run = createRun<CodingPhase>({
    id: "run",
    graph: codingPhases,
    interpret: reading(),
    policies: [phaseTracker()],
    clock: manualClock({ step: 1 }).now,
    ...options,
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return {
    run,
    events,
    take: (...steps) => {
      for (const step of steps) {
        run.beforeTurn();
        run.record(finished(step));
      }
    },
    phases: () => events.flatMap((event) => (event.type === "phase.transition" ? [event.to] : [])),
  };
}
