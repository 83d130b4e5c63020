import { checkEvent, createRun, definePolicy, nudge, type Policy, replayRun, type RunPort } from "@phasekit/core";
import { assign, createActor, createMachine } from "xstate";
import { defineComparison } from "./comparison.ts";
import { difference, measureInterleaved, median, type Pause, ratio, type Subject } from "./measure.ts";
import { EVENT_BYTES, logOf, toolEvent } from "./sample-events.ts";

const POOL = 4096;
const counts = [0, 10, 100] as const;

/** The cost of one tool result with no, ten and a hundred light policies. */
export const policyCost = defineComparison({
  title: "Cost of one tool result",
  baseline: `JSON.stringify of the stored event, ${String(EVENT_BYTES)} bytes`,
  rows: {
    state: { what: "state work alone: replayRun, per event", unit: "×" },
    "work 10": { what: "state and policy work, 10 light policies", unit: "×", target: 0.4 },
    "work 100": { what: "state and policy work, 100 light policies", unit: "×", target: 1 },
    check: { what: "the check of ingestion alone: checkEvent", unit: "×" },
    "record 0": { what: "the whole record(), no policies", unit: "×" },
    "record 10": { what: "the whole record(), 10 light policies", unit: "×", target: 3 },
    "record 100": { what: "the whole record(), 100 light policies", unit: "×" },
    "xstate bare": { what: "XState 5 actor.send, a bare transition", unit: "×" },
    "xstate assign": { what: "XState 5 actor.send, with assign", unit: "×" },
  },
  measure: async ({ pause, baseline, row }) => {
    const time = await measureResults(pause);
    const { stringify } = time;
    const workOf = (count: 10 | 100): number => {
      const policyWork = difference(time[`again ${count}`], time["again 0"]);
      return ratio(
        policyWork.map((value, block) => value + (time.replay[block] ?? NaN)),
        stringify,
      );
    };
    baseline(`${median(stringify).toFixed(0)} ns`);
    row("state", ratio(time.replay, stringify));
    row("work 10", workOf(10));
    row("work 100", workOf(100));
    for (const name of ["check", "record 0", "record 10", "record 100", "xstate bare", "xstate assign"] as const)
      row(name, ratio(time[name], stringify));
    return [
      "State work is the time of replayRun per event: it checks the log and folds the view, without ingestion.",
      "Policy work is what the policies add to record(): each observes the result and decides on it.",
      "The whole record() includes ingestion: it checks, copies, interprets, clips and stamps the event.",
      "XState has no ingestion: compare it with the first rows.",
    ];
  },
});

function measureResults(pause: Pause) {
  const recorded = Array.from({ length: POOL }, (_, n) => toolEvent(n));
  const log = logOf(recorded);
  const stored = log.filter((event) => event.type === "tool.finished");
  const subject = <const TName extends string, T>(
    name: TName,
    pool: readonly T[],
    act: (item: T) => unknown,
  ): Subject<TName> => ({
    name,
    run: () => {
      let refused = 0;
      for (const item of pool) if (act(item) === false) refused += 1;
      if (refused > 0) throw new Error(`${String(refused)} events were not recorded; the figures mean nothing.`);
    },
  });
  const bare = createActor(bareMachine).start();
  const assigning = createActor(assigningMachine).start();
  return measureInterleaved(
    [
      subject("stringify", stored, (event) => JSON.stringify(event)),
      subject("check", stored, checkEvent),
      subject("xstate bare", stored, (event) => bare.send(event)),
      subject("xstate assign", stored, (event) => assigning.send(event)),
      // The whole log in one call; it has as many results as a block.
      subject("replay", [log], (whole) => replayRun(whole)),
      ...counts.map((count) => subject(`record ${count}`, recorded, startRun(count).record)),
      // Stored events have their meaning: less work at ingestion, so that the share of the policies is larger.
      ...counts.map((count) => subject(`again ${count}`, stored, startRun(count).record)),
    ],
    { blocks: 61, count: POOL, pause },
  );
}

interface LightState {
  files: number;
  errors: number;
}

/** Observes every result and decides at results and turns, as most policies do: cheaply, and mostly without a nudge. */
function lightPolicy(n: number): Policy<LightState> {
  return definePolicy({
    name: `light-${String(n)}`,
    initial: (): LightState => ({ files: 0, errors: 0 }),
    observe: {
      "tool.finished": (state, { outcome }) => {
        state.files += 1;
        if (outcome === "error") state.errors += 1;
      },
    },
    decide: {
      "turn.started": (run, { errors }) =>
        errors > 3 + n ? nudge(`${String(errors)} calls failed in "${run.phase}".`) : undefined,
      "tool.finished": (_run, { errors }) => (errors < 0 ? [] : undefined),
    },
  });
}

function startRun(policies: number): RunPort {
  const run = createRun({ policies: Array.from({ length: policies }, (_, n) => lightPolicy(n)) });
  run.beforeTurn();
  return run;
}

const bareMachine = createMachine({
  initial: "exploring",
  states: { exploring: { on: { "tool.finished": "acting" } }, acting: { on: { "tool.finished": "exploring" } } },
});

const count = assign({ files: ({ context }: { readonly context: { readonly files: number } }) => context.files + 1 });
const assigningMachine = createMachine({
  types: {} as { context: { files: number } },
  context: { files: 0 },
  initial: "exploring",
  states: {
    exploring: { on: { "tool.finished": { target: "acting", actions: count } } },
    acting: { on: { "tool.finished": { target: "exploring", actions: count } } },
  },
});
