import type { RunEvent } from "@phasekit/core";
import { type BlindSpan, blindSpan } from "@phasekit/core/adapter";
import { callOf } from "@phasekit/core/account";
import { type RunStory, storyOf } from "@phasekit/ledger/story";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHome, phasekitHere } from "./run-cli.ts";
import { playLive, readOwnLogOf, recordedSessions, type RecordedSession } from "./recorded-session.ts";

/** Sessions of agents that name their own log in the payloads of their hooks. */
const sessions = recordedSessions.filter(({ calls }) => calls.some(({ payload }) => "transcript_path" in payload));

const spansOf = (events: readonly RunEvent[]): readonly BlindSpan[] =>
  events.flatMap((event) => (blindSpan.is(event) ? [event.data] : []));

/** What `why` says about a run, in figures. */
function figuresOf(events: readonly RunEvent[]): object {
  const { turns, failedCalls, tokens, work, reason, verified } = storyOf(events);
  const finished = events.flatMap((event) => (event.type === "tool.finished" ? [callOf(event).failed] : []));
  return {
    calls: finished.length,
    failedCalls,
    turns,
    tokens,
    edits: work.edits,
    testRuns: work.testRuns,
    reason,
    verified,
  };
}

/** The calls of a session between its first prompt and the finish after it. */
const firstTurn = ({ calls }: RecordedSession): readonly [number, number] => {
  const isStop = ({ payload }: { readonly payload: object }): boolean =>
    /"(?:Stop|AfterAgent)"/.test(JSON.stringify(payload));
  return [2, calls.findIndex(isStop)];
};

describe("why", () => {
  it("why takes the agent's own log where the live run misses calls, and says when Phasekit was blind", async () => {
    const session = sessions.find(({ agent }) => agent === "claude-code");
    if (session === undefined) throw new Error("no session");
    const home = emptyHome();
    const own = join(home, ".claude/projects/-home-user-project/id-1.jsonl");
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, session.log);
    const [first, stop] = firstTurn(session);
    const cwd = emptyHome();
    const why = async (): Promise<{ readonly story: RunStory; readonly path: string }> =>
      JSON.parse((await phasekitHere(["why", "--json", "--latest"], { home, cwd })).out) as never;
    // The server goes away in the middle of the first turn, and does not come back.
    mkdirSync(join(home, ".phasekit"));
    const isGone = (_call: unknown, index: number): "sent" | "missed" => (index > first + 2 ? "missed" : "sent");
    await playLive(session, { root: join(home, ".phasekit"), fate: isGone });
    // The agent went on for a minute.
    utimesSync(own, new Date(), new Date(Date.now() + 60_000));
    expect(await why()).toMatchObject({ story: { calls: 7 }, path: own });
    rmSync(join(home, ".phasekit"), { recursive: true });
    mkdirSync(join(home, ".phasekit"));
    await playLive(session, {
      root: join(home, ".phasekit"),
      fate: (_call, index) => (index > first + 2 && index < stop ? "missed" : "sent"),
    });
    const { story, path } = await why();
    expect({ calls: story.calls, path }).toEqual({ calls: 7, path: join(home, ".phasekit/runs") });
    expect(story.missed.join(" ")).toMatch(
      /Blind from \d\d:\d\d:\d\d to .* were read from the agent's own log afterwards\./,
    );
  });
});

describe("a session whose server was gone for a time", () => {
  it.each(sessions)("$agent: the run is that of the agent's own log, wherever the server was gone", async (session) => {
    const whole = figuresOf(readOwnLogOf(session));
    const [first, stop] = firstTurn(session);
    for (let from = first; from < stop; from += 2)
      for (const to of [from, from + 3, stop - 1]) {
        const { events } = await playLive(session, {
          fate: (_call, index) => (index >= from && index <= Math.min(to, stop - 1) ? "missed" : "sent"),
        });
        // Without the event that ends a batch, its turn and the next one are one.
        const turns = from === to ? { turns: expect.any(Number) as unknown } : {};
        expect({ from, to, ...figuresOf(events) }).toEqual({ from, to, ...whole, ...turns });
      }
  });

  it.each(sessions)("$agent: a time without the server is recorded as blind, with the calls of it", async (session) => {
    const [first, stop] = firstTurn(session);
    const { events } = await playLive(session, {
      fate: (_call, index) => (index >= first + 2 && index < stop ? "missed" : "sent"),
    });
    const [span, ...more] = spansOf(events);
    expect(more).toEqual([]);
    expect(span).toMatchObject({ how: "log", to: session.calls[stop]?.at });
    expect(span?.calls).toBeGreaterThan(2);
    expect(span?.from).toBeLessThanOrEqual(session.calls[first + 2]?.at ?? 0);
  });

  it.each(sessions)(
    "$agent: a session without a gap is not recorded as blind, however often the server starts",
    async (session) => {
      const { events } = await playLive(session, { restarts: true });
      expect(spansOf(events)).toEqual([]);
      expect(figuresOf(events)).toEqual(figuresOf(readOwnLogOf(session)));
    },
  );

  it.each(sessions)("$agent: spooled events are recorded once, and as late", async (session) => {
    const [first, stop] = firstTurn(session);
    const { events } = await playLive(session, {
      fate: (_call, index) => (index >= first + 2 && index < stop ? "spooled" : "sent"),
    });
    const { calls, edits, testRuns } = figuresOf(events) as Record<string, number>;
    expect({ calls, edits, testRuns }).toEqual(
      Object.fromEntries(
        Object.entries(figuresOf(readOwnLogOf(session))).filter(([key]) =>
          ["calls", "edits", "testRuns"].includes(key),
        ),
      ),
    );
    expect(spansOf(events)).toMatchObject([{ how: "late" }]);
  });

  it.each([
    ["too large", (log: string) => writeFileSync(log, "x".repeat(17 * 1024 * 1024)), "larger than 16 MB"],
    ["of another session", (log: string) => writeFileSync(log, otherSession), "about another session"],
    ["not a log", (log: string) => writeFileSync(log, "not a log\n"), "cannot be read"],
  ])("a log that is %s is not read, and the time is recorded as blind", async (_what, damage, why) => {
    const session = sessions.find(({ agent }) => agent === "claude-code");
    if (session === undefined) throw new Error("no session");
    const [first, stop] = firstTurn(session);
    const { events } = await playLive(session, {
      fate: (_call, index) => (index >= first + 2 && index < stop ? "missed" : "sent"),
      before: (index, log) => {
        if (index === stop) damage(log);
      },
    });
    expect(spansOf(events)).toMatchObject([{ how: "lost", calls: 0, why: expect.stringContaining(why) as unknown }]);
  });

  it("vetoes a finish for an edit that only the agent's own log has", async () => {
    const session = sessions.find(({ agent }) => agent === "claude-code");
    if (session === undefined) throw new Error("no session");
    const isOf =
      (text: string) =>
      ({ payload }: { readonly payload: object }): boolean =>
        JSON.stringify(payload).includes(text);
    const edit = session.calls.findIndex(isOf("sed -i"));
    const stop = session.calls.findIndex(isOf('"Stop"'));
    const { events } = await playLive(session, {
      mode: "gate",
      fate: (_call, index) => (index >= edit && index < stop ? "missed" : "sent"),
      before: (index, log) => {
        if (index === stop) writeFileSync(log, session.log.split("\n").filter(withoutTest(session)).join("\n"));
      },
    });
    expect(events.find(({ type }) => type === "finish.vetoed")).toMatchObject({ applied: true, gate: "tests-fresh" });
  });
});

const otherSession = JSON.stringify({
  type: "user",
  sessionId: "another",
  uuid: "u1",
  timestamp: "2026-11-17T15:12:00.000Z",
  message: { role: "user", content: "Hello." },
});

/** The lines of a log up to the call of the tests. */
const withoutTest = ({ log }: RecordedSession): ((line: string) => boolean) => {
  const lines = log.split("\n");
  const at = lines.findIndex((line) => line.includes("node --test"));
  return (line) => lines.indexOf(line) < at;
};
