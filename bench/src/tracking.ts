import { definePhaseGraph, definePolicy, type Policy, transition } from "@phasekit/core";

export const phases = definePhaseGraph({
  name: "bench",
  initial: "exploring",
  phases: {
    exploring: { next: ["acting"] },
    acting: { next: ["exploring", "verifying"] },
    verifying: { next: ["acting", "exploring"], final: true },
  },
});

/**
 * The tool of the n-th call of an agent that reads, edits and tests in cycles, so that a tracker has something to
 * track.
 */
export function toolOf(n: number): "Read" | "Edit" | "run_tests" {
  const step = n % 40;
  return step < 24 ? "Read" : step < 36 ? "Edit" : "run_tests";
}

/** Files the tracker remembers at most: few, so that early and late events alike make it forget one. */
const MAX_FILES = 256;

interface TrackerState {
  readonly filesRead: Set<string>;
  edits: number;
  reads: number;
}

/**
 * Infers phases from what the agent does, with the kind of memory a real tracker has: sets with a limit, and counters.
 */
export function miniTracker(): Policy<TrackerState, "exploring" | "acting" | "verifying"> {
  return definePolicy({
    name: "mini-tracker",
    mentions: ["exploring", "acting", "verifying"],
    initial: (): TrackerState => ({ filesRead: new Set(), edits: 0, reads: 0 }),
    observe: {
      "tool.finished": (state, { meaning }) => {
        for (const target of meaning.targets ?? []) remember(state.filesRead, target);
        if (meaning.mutates === true) {
          state.edits += 1;
          state.reads = 0;
        } else state.reads += 1;
      },
    },
    decide: {
      "tool.finished": (run, { reads }, { meaning }) => {
        if (meaning.mutates === true) return run.isIn("acting") ? undefined : transition("acting");
        if (meaning.activity === "test" && run.isIn("acting")) return transition("verifying");
        return reads === 20 && !run.isIn("exploring") ? transition("exploring") : undefined;
      },
    },
  });
}

function remember(files: Set<string>, file: string): void {
  files.delete(file);
  files.add(file);
  if (files.size <= MAX_FILES) return;
  const [oldest] = files;
  if (oldest !== undefined) files.delete(oldest);
}
