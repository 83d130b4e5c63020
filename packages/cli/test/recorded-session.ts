import { codingRunOptions } from "@phasekit/coding";
import { playRun, type RunEvent } from "@phasekit/core";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { parseTranscript } from "@phasekit/transcripts";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { hookPaths, type HookPaths } from "../src/hooks/client/hook-paths.ts";
import { createHookServer } from "../src/hooks/server/hook-server.ts";
import { emptyHome } from "./run-cli.ts";

/** One session of a real agent, recorded by `pnpm canary --record`: its hook calls, and the log it wrote itself. */
export interface RecordedSession {
  readonly agent: string;
  readonly calls: readonly RecordedCall[];
  readonly log: string;
}

interface RecordedCall {
  readonly at: number;
  readonly event?: string;
  readonly payload: object;
}

/** Options for `playLive()`. All optional. */
export interface PlayLiveOptions {
  /** What becomes of a call: the server gets it, is gone and misses it, or the spool has it. @default all are sent */
  readonly fate?: (call: RecordedCall, index: number) => "sent" | "missed" | "spooled";
  /** Called before each call, with the agent's own log. */
  readonly before?: (index: number, log: string) => void;
  /** The mode of the agent. @default "observe" */
  readonly mode?: string;
  /** Every call finds another server. @default false */
  readonly restarts?: boolean;
  /** Phasekit's folder. @default a new one */
  readonly root?: string;
}

const folder = join(import.meta.dirname, "__fixtures__/sessions");

export const recordedSessions: readonly RecordedSession[] = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as RecordedSession,
);

/** Plays the hook calls to a server, as the agent did. A server that was gone comes back for the next call. */
export async function playLive(
  { agent, calls, log }: RecordedSession,
  { fate = () => "sent", before, mode, restarts = false, root = emptyHome() }: PlayLiveOptions = {},
): Promise<{ readonly events: readonly RunEvent[]; readonly paths: HookPaths; readonly transcript: string }> {
  const paths = hookPaths(root);
  // Phasekit looks into the agent's log for what its hooks leave out; the log grows while the agent works.
  const transcript = join(emptyHome(), "log.jsonl");
  const lines = log.split("\n");
  let now = 0;
  const start = (): ReturnType<typeof createHookServer> =>
    createHookServer({ paths, clock: () => now, logLimitMs: 60_000 });
  let server = start();
  if (mode !== undefined) appendFileSync(paths.config, JSON.stringify({ modes: { [agent]: mode } }));
  let isGone = false;
  for (const [index, call] of calls.entries()) {
    now = call.at;
    while (lines.length > 0 && timeOf(lines[0] ?? "") <= now) appendFileSync(transcript, `${lines.shift() ?? ""}\n`);
    before?.(index, transcript);
    const named = ["transcript_path", "transcriptPath"].filter((name) => name in call.payload);
    const payload = { ...call.payload, ...Object.fromEntries(named.map((name) => [name, transcript])) };
    const how = fate(call, index);
    if (how !== "sent") {
      if (!isGone) await server.close();
      isGone = true;
      if (how === "spooled") appendFileSync(paths.spool, `${JSON.stringify({ agent, ...call, payload })}\n`);
      continue;
    }
    if (restarts && !isGone) await server.close();
    if (restarts || isGone) server = start();
    isGone = false;
    await server.takeEvent({ agent, ...call }, JSON.stringify(payload));
  }
  await server.close();
  const store = createFileStore(paths.runs);
  const runs = await store.list();
  expect(runs).toHaveLength(1);
  const events = await readRun(store, runs[0]?.run ?? "");
  await store.close();
  return { events, paths, transcript };
}

/** When a line was written: the last time in it. A line that has none came with the one before. */
function timeOf(line: string): number {
  return Math.max(0, ...[...line.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time = ""]) => Date.parse(time)));
}

/** Reads the agent's own log, as `phasekit why` does. */
export function readOwnLogOf({ log }: RecordedSession): readonly RunEvent[] {
  const { runs } = parseTranscript(log);
  expect(runs).toHaveLength(1);
  const events: RunEvent[] = [];
  for (const run of runs)
    playRun(run, { ...codingRunOptions({ mode: "observe" }), subscribe: (step) => events.push(...step) });
  return events;
}
