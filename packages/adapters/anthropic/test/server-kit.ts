import type { RunEvent, RunPort } from "@phasekit/core";
import { type AnthropicScript, type AnthropicServer, startAnthropicServer } from "@phasekit/tooling/anthropic-server";
import { afterEach, expect } from "vitest";

const servers: AnthropicServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.close();
    expect(server.complaints).toEqual([]);
  }
});

/** A scripted server that is closed after the test, which fails if a request was invalid. */
export async function startServer(script: AnthropicScript): Promise<AnthropicServer> {
  const server = await startAnthropicServer(script);
  servers.push(server);
  return server;
}

export function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

export const ofType = <K extends RunEvent["type"]>(events: readonly RunEvent[], type: K) =>
  events.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);

/** Reads a stream to its end. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
