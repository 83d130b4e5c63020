// A loop that any durable engine can run: without an engine, on a journal in memory. It is cut off after every single
// step, runs again on what is left of the journal, and writes the same log each time, byte for byte.
import assert from "node:assert/strict";
import type { RunEvent } from "@phasekit/core";
import type { WriteStep } from "@phasekit/durable";
import { expectDeterministic } from "@phasekit/durable/testing";
import { agentLoop } from "./agent-loop.ts";
import { scriptedModel, scriptedTool, verdictOfPerson } from "./script.ts";

class KillError extends Error {}

/** The smallest engine: results by the order of the steps. It dies before the step `killAt`. */
function memoryEngine(journal: string[], killAt = Number.POSITIVE_INFINITY): { write: WriteStep; clock: () => number } {
  let steps = 0;
  return {
    write: async (_name, work) => {
      if (steps === killAt) throw new KillError();
      steps += 1;
      if (journal.length < steps) journal.push(JSON.stringify(await work()));
      return JSON.parse(journal[steps - 1] ?? "") as Awaited<ReturnType<typeof work>>;
    },
    clock: () => 1_700_000_000_000 + 1000 * steps,
  };
}

async function runLoop(journal: string[], killAt?: number): Promise<{ log: string; said: string; effects: number }> {
  const log: RunEvent[] = [];
  let effects = 0;
  const count = <TArgs extends unknown[], TResult>(work: (...args: TArgs) => TResult) => {
    return (...args: TArgs): TResult => {
      effects += 1;
      return work(...args);
    };
  };
  const run = await agentLoop({
    id: "run-1",
    ...memoryEngine(journal, killAt),
    model: count(scriptedModel),
    tool: count(scriptedTool),
    waitForPerson: () => Promise.resolve(verdictOfPerson),
    store: (events) => {
      log.push(...events);
      return Promise.resolve(events.at(-1)?.seq ?? 0);
    },
  });
  assert.equal(run.outcome?.reason, "done");
  return { log: log.map((event) => `${JSON.stringify(event)}\n`).join(""), said: run.outcome.reason, effects };
}

await expectDeterministic((write) =>
  agentLoop({
    id: "run-1",
    write,
    model: scriptedModel,
    tool: scriptedTool,
    waitForPerson: () => Promise.resolve(verdictOfPerson),
    store: (events, after) => Promise.resolve(events.at(-1)?.seq ?? after),
  }),
);

const whole: string[] = [];
const uninterrupted = await runLoop(whole);
for (let cut = 0; cut < whole.length; cut += 1) {
  const journal: string[] = [];
  await assert.rejects(runLoop(journal, cut), KillError);
  const again = await runLoop(journal);
  assert.equal(journal.join("\n"), whole.join("\n"), `cut after ${String(cut)} steps: another journal`);
  assert.ok(uninterrupted.log.endsWith(again.log), `cut after ${String(cut)} steps: another log`);
}
console.log(
  `${String(whole.length)} steps, ${String(uninterrupted.log.split("\n").length - 1)} events, cut after every step: ` +
    `the same log each time. It ended as ${uninterrupted.said}.`,
);
