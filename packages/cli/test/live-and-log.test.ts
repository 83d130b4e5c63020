import type { RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { playLive, readOwnLogOf, recordedSessions } from "./recorded-session.ts";

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
  it.each(recordedSessions)(
    "$agent: the live run counts the tokens that the agent's own log tells",
    async (session) => {
      const live = tokensOf((await playLive(session)).events);
      expect(live).toEqual(tokensOf(readOwnLogOf(session)));
      expect(live[1]).toBeGreaterThan(0);
    },
  );

  it.each(recordedSessions)("$agent: the live run and the agent's own log tell the same story", async (session) => {
    const live = storyOf((await playLive(session)).events);
    expect(live).toEqual(storyOf(readOwnLogOf(session)));
    expect(live).toEqual(expect.arrayContaining(["exploring → acting", "acting → verifying"]));
  });

  it.each(recordedSessions.filter(({ agent }) => agent === "claude-code" || agent === "pi"))(
    "$agent: an accepted finish suspends the run, and the next prompt resumes it",
    async (session) => {
      const { events } = await playLive(session);
      expect(moves(events)).toEqual(["suspend", "resume", "suspend"]);
      const last = events.at(-1);
      // The second prompt ends without a test run.
      expect(last).toMatchObject({ type: "run.finished", reason: "done_unverified" });
    },
  );
});
