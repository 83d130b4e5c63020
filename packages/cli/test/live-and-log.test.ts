import { playRun } from "@phasekit/core";
import { codingRunOptions } from "@phasekit/coding";
import type { RunEvent } from "@phasekit/core";
import { hookPaths } from "../src/hooks/client/hook-paths.ts";
import { createHookServer } from "../src/hooks/server/hook-server.ts";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { parseTranscript } from "@phasekit/transcripts";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHome } from "./run-cli.ts";

/** One session of a real agent, recorded by `pnpm canary --record`: its hook calls, and the log it wrote itself. */
interface RecordedSession {
  readonly agent: string;
  readonly calls: readonly { readonly at: number; readonly event?: string; readonly payload: object }[];
  readonly log: string;
}

const folder = join(import.meta.dirname, "__fixtures__/sessions");
const sessions = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as RecordedSession,
);

/** Plays the hook calls to a server, as the agent did. */
async function playLive({ agent, calls, log }: RecordedSession): Promise<readonly RunEvent[]> {
  const paths = hookPaths(emptyHome());
  // Phasekit looks into the agent's log for what its hooks leave out; the log grows while the agent works.
  const transcript = join(emptyHome(), "log.jsonl");
  const lines = log.split("\n");
  let now = 0;
  const server = createHookServer({ paths, clock: () => now });
  for (const call of calls) {
    now = call.at;
    while (lines.length > 0 && timeOf(lines[0] ?? "") <= now) appendFileSync(transcript, `${lines.shift() ?? ""}\n`);
    const named = ["transcript_path", "transcriptPath"].filter((name) => name in call.payload);
    const payload = { ...call.payload, ...Object.fromEntries(named.map((name) => [name, transcript])) };
    await server.takeEvent({ agent, ...call }, JSON.stringify(payload));
  }
  await server.close();
  const store = createFileStore(paths.runs);
  const runs = await store.list();
  expect(runs).toHaveLength(1);
  const events = await readRun(store, runs[0]?.run ?? "");
  await store.close();
  return events;
}

/** When a line was written; a line that does not say it came with the one before. */
function timeOf(line: string): number {
  const time = /"timestamp":"([^"]+)"/.exec(line)?.[1];
  return time === undefined ? 0 : Date.parse(time);
}

/** Reads the agent's own log, as `phasekit why` does. */
function readLog({ log }: RecordedSession): readonly RunEvent[] {
  const { runs } = parseTranscript(log);
  expect(runs).toHaveLength(1);
  const events: RunEvent[] = [];
  for (const run of runs)
    playRun(run, { ...codingRunOptions({ mode: "observe" }), subscribe: (step) => events.push(...step) });
  return events;
}

/** The story of a run: phases, alerts, the end. */
function storyOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "phase.transition") return [`${event.from} → ${event.to}`];
    if (event.type === "alert.raised") return [`alert ${event.kind}`];
    if (event.type === "run.finished") return [`${event.reason}, verified: ${String(event.verified)}`];
    return [];
  });
}

const moves = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "move.requested" ? [event.do] : []));

/** Tokens of all answers of the model. */
function tokensOf(events: readonly RunEvent[]): readonly number[] {
  const usages = events.flatMap((event) => (event.type === "model.answered" ? [event.usage] : []));
  const sum = (of: "inputTokens" | "outputTokens"): number =>
    usages.reduce((all, usage) => all + (usage?.[of] ?? 0), 0);
  return [usages.length, sum("inputTokens"), sum("outputTokens")];
}

describe("a session of a real agent", () => {
  it.each(sessions)("$agent: the live run counts the tokens that the agent's own log tells", async (session) => {
    const live = tokensOf(await playLive(session));
    expect(live).toEqual(tokensOf(readLog(session)));
    expect(live[1]).toBeGreaterThan(0);
  });

  it.each(sessions)("$agent: the live run and the agent's own log tell the same story", async (session) => {
    const live = storyOf(await playLive(session));
    expect(live).toEqual(storyOf(readLog(session)));
    expect(live).toEqual(expect.arrayContaining(["exploring → acting", "acting → verifying"]));
  });

  it.each(sessions.filter(({ agent }) => agent === "claude-code" || agent === "pi"))(
    "$agent: an accepted finish suspends the run, and the next prompt resumes it",
    async (session) => {
      const events = await playLive(session);
      expect(moves(events)).toEqual(["suspend", "resume", "suspend"]);
      const last = events.at(-1);
      // The second prompt ends without a test run.
      expect(last).toMatchObject({ type: "run.finished", reason: "done_unverified" });
    },
  );
});
