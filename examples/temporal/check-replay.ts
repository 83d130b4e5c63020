// Replays the history of an agent in Temporal's sandbox, whole and cut off at its tasks, and compares the logs.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  DefaultLogger,
  type InjectedSinks,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type WorkflowBundle,
} from "@temporalio/worker";
import { bundleWorkflows } from "./bundle.ts";
import type { CapturedActivities } from "./capture-activities.ts";
import { recordHistory } from "./history.ts";

let log = "";
const sinks: InjectedSinks<CapturedActivities> = {
  activities: {
    scheduled: {
      fn: (_info, type, args) => {
        const [, events] = args as readonly [string, readonly unknown[]];
        if (type === "store") log += events.map((event) => `${JSON.stringify(event)}\n`).join("");
      },
      callDuringReplay: true,
    },
  },
};

/** Checks the agent; the short check cuts its history off in three places, the long one after every task. */
export async function checkReplay({ long }: { readonly long: boolean }): Promise<string> {
  const filter = makeTelemetryFilterString({ core: "ERROR", other: "ERROR" });
  Runtime.install({ logger: new DefaultLogger("ERROR"), telemetryOptions: { logging: { filter } } });
  const capture = join(import.meta.dirname, "capture-activities.ts");
  const workflowBundle = await bundleWorkflows({ workflowInterceptorModules: [capture] });
  const { events, cuts, log: expected } = await recordHistory("agent-1");
  const lengths = long ? cuts : cuts.filter((_length, index) => index % 8 === 4);
  const results = await replay(workflowBundle, [
    events,
    events,
    ...lengths.map((length) => events.slice(0, length)),
    // The replay does find a difference: an activity that the agent never asks for.
    JSON.parse(JSON.stringify(events).replace('{"name":"tool"}', '{"name":"deploy"}')) as object[],
  ]);
  assert.match(String(results.pop()?.error), /Nondeterminism/);
  assert.equal(results.length, 2 + lengths.length);
  for (const [index, { error, log: replayed }] of results.entries()) {
    assert.equal(error, undefined, `history ${String(index)}: ${String(error)}`);
    if (index < 2) assert.equal(replayed, expected, "another log than outside of the sandbox");
    else assert.ok(expected.startsWith(replayed), `history ${String(index)}: another log`);
  }
  return (
    `${String(events.length)} history events, replayed twice and cut off at ${String(lengths.length)} tasks in ` +
    `Temporal's sandbox: the same log each time (${String(expected.length)} bytes).`
  );
}

interface ReplayResult {
  readonly log: string;
  readonly error?: Error;
}

async function replay(
  workflowBundle: WorkflowBundle,
  histories: readonly (readonly object[])[],
): Promise<ReplayResult[]> {
  const found: ReplayResult[] = [];
  const inputs = histories.map((events) => ({ workflowId: "agent-1", history: { events } }));
  // A context of its own per replay: in a shared one, `Date` and `Math` are frozen, and the test replaces them.
  const options = { workflowBundle, sinks, reuseV8Context: false };
  for await (const { error } of Worker.runReplayHistories(options, inputs)) {
    found.push({ log, ...(error !== undefined && { error }) });
    log = "";
  }
  return found;
}
