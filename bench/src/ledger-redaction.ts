import { redactSecrets } from "@phasekit/ledger";
import { defineComparison } from "./comparison.ts";
import { measureInterleaved, median, type Pause, ratio } from "./measure.ts";
import { logOf, toolEvent } from "./sample-events.ts";

const EVENTS = 2000;

/** The cost of looking for secrets in an event. */
export const ledgerRedaction = defineComparison({
  title: "Cost of looking for secrets",
  baseline: "JSON.stringify of a 1 kB event",
  rows: {
    redact: { what: "redactSecrets on an event without any", unit: "×", target: 0.85 },
    ten: { what: "the same with 10 secrets registered", unit: "×", target: 4 },
    thousand: { what: "the same with 1,000 secrets registered", unit: "×", target: 10 },
  },
  measure: async ({ pause, baseline, row }) => {
    const time = await measureRedaction(pause);
    baseline(`${median(time.stringify).toFixed(0)} ns`);
    for (const name of ["redact", "ten", "thousand"] as const) row(name, ratio(time[name], time.stringify));
    return [
      "The event is a file that was read: source code, a path, a call. The limits with registered secrets are our own.",
    ];
  },
});

async function measureRedaction(pause: Pause) {
  const events = logOf(Array.from({ length: EVENTS }, (_, n) => toolEvent(n))).slice(2);
  const redact = redactSecrets();
  const ten = redactRegistered(10);
  const thousand = redactRegistered(1000);
  // A result that is not used may not be computed, so all of them are.
  let used = 0;
  const time = await measureInterleaved(
    [
      {
        name: "stringify",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += JSON.stringify(events[n % events.length]).length;
        },
      },
      {
        name: "redact",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(redact(events[n % events.length] as never)).length;
        },
      },
      {
        name: "ten",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(ten(events[n % events.length] as never)).length;
        },
      },
      {
        name: "thousand",
        run: () => {
          for (let n = 0; n < EVENTS; n += 1) used += Object.keys(thousand(events[n % events.length] as never)).length;
        },
      },
    ],
    { blocks: 101, count: EVENTS, pause },
  );
  if (used === 0) throw new Error("Nothing was redacted.");
  return time;
}

function redactRegistered(count: number): ReturnType<typeof redactSecrets> {
  const secrets = Array.from(
    { length: count },
    (_, n) => `S3cr3t/${String((n * 2_654_435_761) % 4_294_967_296)}+${String(n)}`,
  );
  return redactSecrets({ secrets });
}
