import { checkEvent, createRun, definePolicy, nudge, type Policy, replayRun, type RunPort } from "@phasekit/core";
import { assign, createActor, createMachine } from "xstate";
import { difference, measureInterleaved, median, ratio, type Subject } from "./measure.ts";
import type { Story } from "./comparison.ts";
import { EVENT_BYTES, logOf, toolFact } from "./sample-events.ts";

const POOL = 4096;
const counts = [0, 10, 100] as const;

/** What one tool result costs, with no, ten and a hundred light policies. */
export function policyCost(): Story {
  const facts = Array.from({ length: POOL }, (_, n) => toolFact(n));
  const log = logOf(facts);
  const events = log.filter((event) => event.type === "tool.finished");
  let refused = 0;

  const subject = <const TName extends string, T>(
    name: TName,
    pool: readonly T[],
    act: (item: T) => unknown,
  ): Subject<TName> => ({
    name,
    run: () => {
      for (const item of pool) if (act(item) === false) refused += 1;
    },
  });
  const records = counts.map((count) => subject(`record ${count}`, facts, startRun(count).record));
  // Stored events bring their meaning: less work at the door, so that what the policies add shows more clearly.
  const again = counts.map((count) => subject(`again ${count}`, events, startRun(count).record));
  const bare = createActor(bareMachine).start();
  const assigning = createActor(assigningMachine).start();

  const time = measureInterleaved(
    [
      subject("stringify", events, (event) => JSON.stringify(event)),
      subject("door", events, checkEvent),
      subject("xstate bare", events, (event) => bare.send(event)),
      subject("xstate assign", events, (event) => assigning.send(event)),
      // The whole log at once, which has as many results as a block.
      subject("replay", [log], (whole) => replayRun(whole)),
      ...records,
      ...again,
    ],
    { blocks: 61, count: POOL },
  );
  if (refused > 0) throw new Error(`${String(refused)} facts were not taken; the numbers mean nothing.`);

  const { stringify } = time;
  const workOf = (count: 10 | 100): number => {
    const policyWork = difference(time[`again ${count}`], time["again 0"]);
    return ratio(
      policyWork.map((value, block) => value + (time.replay[block] ?? NaN)),
      stringify,
    );
  };
  return {
    title: "What one tool result costs",
    baseline: `JSON.stringify of the stored event, ${EVENT_BYTES} bytes: ${median(stringify).toFixed(0)} ns`,
    results: [
      { what: "state work alone: replayRun, per event", value: ratio(time.replay, stringify), unit: "×" },
      { what: "state and policy work, 10 light policies", value: workOf(10), unit: "×", target: 0.25 },
      { what: "state and policy work, 100 light policies", value: workOf(100), unit: "×", target: 0.7 },
      { what: "the check at the door alone: checkEvent", value: ratio(time.door, stringify), unit: "×" },
      { what: "the whole record(), no policies", value: ratio(time["record 0"], stringify), unit: "×" },
      {
        what: "the whole record(), 10 light policies",
        value: ratio(time["record 10"], stringify),
        unit: "×",
        target: 3,
      },
      { what: "the whole record(), 100 light policies", value: ratio(time["record 100"], stringify), unit: "×" },
      { what: "XState 5 actor.send, a bare transition", value: ratio(time["xstate bare"], stringify), unit: "×" },
      { what: "XState 5 actor.send, with assign", value: ratio(time["xstate assign"], stringify), unit: "×" },
    ],
    notes: [
      "State work is what replayRun takes per event: it checks the log and folds the view, without a door. Policy work is",
      "what the policies add to record(): each observes the result and decides on it. The whole record() has the door as",
      "well: it checks, copies, interprets, clips and stamps what a host tells. XState has no door: compare the first rows.",
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
