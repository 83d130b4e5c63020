// The effects of the agent: they run in the worker, outside of the sandbox, and Temporal tries them again if they fail.
import type { RunEvent } from "@phasekit/core";
import { storeEvents } from "@phasekit/durable";
import { type Answer, type Result, scriptedModel, scriptedTool } from "@phasekit/example-durable-agent/script";
import { createFileStore } from "@phasekit/ledger/node";

const runs = createFileStore(".phasekit/runs");

export async function model(turn: number): Promise<Answer> {
  return Promise.resolve(scriptedModel(turn));
}

export async function tool(turn: number): Promise<Result> {
  return Promise.resolve(scriptedTool(turn));
}

/** Stores the new events of a run where `phasekit why` finds them. */
export function store(id: string, events: readonly RunEvent[], after: number): Promise<number> {
  return storeEvents(runs, id, { events, after });
}
