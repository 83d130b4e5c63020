import { changeLanded } from "../account/call.ts";
import { alert, type AnytimeDecision, nudge, type Nudge, stop } from "./decision.ts";
import { assertNumbers } from "../text/assert-numbers.ts";
import { definePolicy, type Policy } from "./policy.ts";

/** Options for `compactionLimit()`. All optional. */
export interface CompactionLimitOptions {
  /** Cycles after which the agent gets a nudge and an alert is raised. @default 2 */
  readonly nudgeAt?: number;
  /** Cycles after which the run stops in mode `gate`. @default 3 */
  readonly stopAt?: number;
}

interface CycleState {
  /** Cycles in a row: the work between two compactions changed nothing and only planned or read again. */
  cycles: number;
  /** Since the last compaction: a plan was made, files were read, and how many of them for the second time. */
  planned: boolean;
  reads: number;
  rereads: number;
  /** Files read before the last compaction, and since. */
  readonly before: Set<string>;
  readonly since: Set<string>;
}

const MAX_FILES = 256;

/**
 * Notices an agent that plans until the context is full, loses the plan with the next compaction, and plans again. A
 * change that landed, passing tests or reported progress start the count anew.
 *
 * @example
 * createRun({ policies: [compactionLimit({ stopAt: 4 })] })
 * @throws INVALID_OPTION if a limit is not a number of at least 1.
 */
export function compactionLimit({ nudgeAt = 2, stopAt = 3 }: CompactionLimitOptions = {}): Policy {
  assertNumbers({ nudgeAt, stopAt }, { atLeast: 1 });

  const found = ({ cycles }: Readonly<CycleState>): readonly AnytimeDecision<never>[] =>
    cycles < Math.min(nudgeAt, stopAt)
      ? []
      : [
          alert({ kind: "compaction-cycle", count: cycles, severity: cycles < stopAt ? "warning" : "critical" }),
          ...(cycles < stopAt
            ? []
            : [stop({ reason: "aborted_stagnation", how: "wrap-up", onlyInGate: true, text: closing(cycles) })]),
        ];
  const advice = ({ cycles }: Readonly<CycleState>): readonly Nudge[] =>
    cycles < nudgeAt ? [] : [nudge(adviceFor(cycles), { episode: `cycle:${String(cycles)}`, priority: 15 })];

  return definePolicy({
    name: "compaction-limit",
    alerts: "complete",
    initial: (): CycleState => ({
      cycles: 0,
      planned: false,
      reads: 0,
      rereads: 0,
      before: new Set(),
      since: new Set(),
    }),
    observe: {
      "plan.declared": plan,
      "todos.updated": plan,
      "progress.made": startAnew,
      "tool.finished": (state, event) => {
        const { activity, moved, tests, targets = [] } = event.meaning;
        if (tests?.verdict === "pass" || (changeLanded(event) && moved !== false)) startAnew(state);
        else if (activity === "plan") plan(state);
        else if (activity === "read" || activity === "search") for (const target of targets) addRead(state, target);
      },
      "context.compacted": (state) => {
        const repeats = state.planned || (state.reads > 0 && state.rereads * 2 >= state.reads);
        if (repeats) state.cycles += 1;
        for (const file of state.since) if (state.before.size < MAX_FILES) state.before.add(file);
        startStretch(state);
      },
    },
    decide: {
      "context.compacted": (_run, state) => found(state),
      "turn.started": (_run, state) => [...found(state), ...advice(state)],
    },
  });
}

function plan(state: CycleState): void {
  state.planned = true;
}

function addRead(state: CycleState, file: string): void {
  if (state.since.has(file)) return;
  if (state.since.size < MAX_FILES) state.since.add(file);
  state.reads += 1;
  if (state.before.has(file)) state.rereads += 1;
}

function startAnew(state: CycleState): void {
  state.cycles = 0;
  state.before.clear();
  startStretch(state);
}

function startStretch(state: CycleState): void {
  state.planned = false;
  state.reads = 0;
  state.rereads = 0;
  state.since.clear();
}

function adviceFor(cycles: number): string {
  return (
    `The conversation was shortened ${String(cycles)} times, and nothing changed in between. Do not plan or read ` +
    "everything again: make the smallest change that moves the task forward now, or say what blocks you."
  );
}

function closing(cycles: number): string {
  return (
    `The conversation was shortened ${String(cycles)} times without a change in between. Use no more tools. ` +
    "Say what you know, what blocks you, and what should happen next."
  );
}
