import { checkFact, createRun, definePolicy, nudge, type Policy, type RunPort } from "@phasekit/core";
import { assign, createActor, createMachine } from "xstate";
import { difference, measureInterleaved, median, ratio, type Subject } from "./measure.ts";
import type { Story } from "./result.ts";
import { EVENT_BYTES, toolEvents, toolFact } from "./sample-facts.ts";

const POOL = 4096;
const counts = [0, 10, 100] as const;

/** What one tool result costs, with no, ten and a hundred light policies. */
export function policyCost(): Story {
  const facts = Array.from({ length: POOL }, (_, n) => toolFact(n));
  const events = toolEvents(facts);
  let sink = 0;

  const subject = <const TName extends string>(name: TName, act: (n: number) => unknown): Subject<TName> => ({
    name,
    run: (first, count) => {
      for (let n = first; n < first + count; n += 1) if (act(n % POOL) === false) sink += 1;
    },
  });
  const whole = counts.map((count) => {
    const run = startRun(count);
    return subject(`record ${count}`, (n) => run.record(facts[n]!));
  });
  // With its meaning a fact takes the way of the door that checkFact can take alone.
  const told = counts.map((count) => {
    const run = startRun(count);
    return subject(`told ${count}`, (n) => run.record(events[n]!));
  });
  const bare = startActor(bareMachine);
  const assigning = startActor(assigningMachine);

  const time = measureInterleaved(
    [
      subject("stringify", (n) => JSON.stringify(events[n]!)),
      subject("door", (n) => checkFact(events[n]!)),
      subject("xstate bare", (n) => bare.send(events[n]!)),
      subject("xstate assign", (n) => assigning.send(events[n]!)),
      ...whole,
      ...told,
    ],
    { blocks: 41, count: POOL },
  );
  if (sink > 0) throw new Error(`${String(sink)} facts were not taken; the numbers mean nothing.`);

  const { stringify } = time;
  const stateWork = (count: (typeof counts)[number]): number => ratio(difference(time[`told ${count}`], time.door), stringify);
  return {
    title: "What one tool result costs",
    baseline: `JSON.stringify of the stored event, ${EVENT_BYTES} bytes: ${median(stringify).toFixed(0)} ns`,
    results: [
      { what: "state and policy work, no policies", value: stateWork(0), unit: "×" },
      { what: "state and policy work, 10 light policies", value: stateWork(10), unit: "×", target: 0.25 },
      { what: "state and policy work, 100 light policies", value: stateWork(100), unit: "×", target: 0.7 },
      { what: "the door alone: checkFact", value: ratio(time.door, stringify), unit: "×" },
      { what: "the whole record(), no policies", value: ratio(time["record 0"], stringify), unit: "×" },
      { what: "the whole record(), 10 light policies", value: ratio(time["record 10"], stringify), unit: "×", target: 3 },
      { what: "the whole record(), 100 light policies", value: ratio(time["record 100"], stringify), unit: "×" },
      { what: "XState 5 actor.send, a bare transition", value: ratio(time["xstate bare"], stringify), unit: "×" },
      { what: "XState 5 actor.send, with assign", value: ratio(time["xstate assign"], stringify), unit: "×" },
    ],
    notes: [
      "State and policy work is record() of a fact that brings its meaning, less checkFact of the same fact: what is left",
      "is stamping, the view, every policy's observe and decide, and delivery. The whole record() starts from what a host",
      "tells and adds the door: check, copy, interpret, clip. XState does none of that; compare it with the first rows.",
    ],
  };
}

interface Seen {
  files: number;
  errors: number;
}

/** Notices every result and decides at results and turns, as most policies do: cheaply, and mostly in silence. */
function lightPolicy(n: number): Policy<Seen> {
  return definePolicy({
    name: `light-${String(n)}`,
    initial: (): Seen => ({ files: 0, errors: 0 }),
    observe: {
      "tool.finished": (state, { outcome }) => {
        state.files += 1;
        if (outcome === "error") state.errors += 1;
      },
    },
    decide: {
      "turn.started": (run, { errors }) => (errors > 3 + n ? nudge(`${String(errors)} calls failed in "${run.phase}".`) : undefined),
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

function startActor(machine: typeof bareMachine | typeof assigningMachine): { readonly send: (event: { readonly type: string }) => void } {
  return createActor(machine as typeof bareMachine).start();
}
