import { budget, definePolicy, veto } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { latch, scripted } from "./__fixtures__/scripted-conversation.ts";
import {
  agentFinished,
  completionIgnored,
  conversationEnding,
  roundClosed,
  roundOpened,
} from "./conversation/conversation-events.ts";

const end = { agents: ["END"], reason: "all done" };
const full = ["execute", "verification", "chores"].map((phase) => ({ agents: ["executor"], phase, reason: phase }));

describe("END", () => {
  it("END ends the conversation: router and agents are not called again", async () => {
    const { conversation, requests, contexts, dataOf, time } = scripted({ decisions: [end] });
    expect(await conversation.send("hello")).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(dataOf(conversationEnding)).toEqual([{ by: "router", reason: "all done" }]);
    expect(await conversation.send("are you there?")).toMatchObject({ status: "ended" });
    await time.advance(100_000);
    expect([requests.length, contexts.length]).toEqual([1, 0]);
  });

  it("END together with agents calls none of them", async () => {
    const { conversation, contexts } = scripted({ decisions: [{ agents: ["executor", "END"], reason: "enough" }] });
    expect(await conversation.send("hello")).toMatchObject({ status: "ended" });
    expect(contexts).toEqual([]);
  });

  it("END is refused while a phase is owed, and the feedback names the phase", async () => {
    const { conversation, requests, dataOf } = scripted({
      decisions: [
        full[0]!,
        end,
        full[1]!,
        end,
        full[2]!,
        { agents: ["executor"], phase: "reflection", reason: "learn" },
        end,
      ],
    });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      outcome: { reason: "done", verified: true },
    });
    expect(requests.map(({ feedback }) => feedback).filter((text) => text !== undefined)).toMatchInlineSnapshot(`
      [
        "The conversation cannot end yet. Before this can end, the work still has to go through: "verification".",
        "The conversation cannot end yet. Before this can end, the work still has to go through: "chores".",
      ]
    `);
    expect(dataOf(roundOpened)).toHaveLength(4);
  });

  it("the fallback overrules a router that repeats END and visits the owed phases", async () => {
    const { conversation, dataOf } = scripted({ decisions: [full[0]!, ...Array.from({ length: 40 }, () => end)] });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      outcome: { reason: "done", verified: true },
    });
    expect(dataOf(roundOpened).map(({ phase, by }) => `${phase} by ${by}`)).toEqual([
      "execute by router",
      "verification by fallback",
      "chores by fallback",
      "reflection by fallback",
    ]);
  });

  const never = definePolicy({ name: "never", decide: { "finish.requested": () => veto("Never.") } });
  const talk = { agents: ["planner"], reason: "talk" };
  /** One character per request to the router: `!` for a correction. */
  const patternOf = (requests: readonly { readonly feedback: string | undefined }[]): string =>
    requests.map(({ feedback }) => (feedback === undefined ? "." : "!")).join("");

  it("END that neither router nor fallback takes back ends the conversation unverified", async () => {
    const { conversation, requests } = scripted({
      decisions: Array.from({ length: 40 }, () => end),
      policies: [never],
      fallback: () => end,
    });
    expect(await conversation.send("hello")).toMatchObject({
      status: "ended",
      outcome: { reason: "done_unverified", verified: false },
    });
    expect(requests.map(({ feedback }) => feedback)).toEqual([
      undefined,
      ...Array.from({ length: 2 }, () => "The conversation cannot end yet. Never."),
    ]);
  });

  it.each([
    { caps: {}, pattern: "..!.!." },
    { caps: { withoutProgress: 2 }, pattern: "..!." },
    { caps: { withoutProgress: 1 }, pattern: ".." },
    { caps: { absolute: 2 }, pattern: "..!." },
  ])("END without progress in between is accepted with $caps after $pattern", async ({ caps, pattern }) => {
    const { conversation, requests } = scripted({
      decisions: [talk, end, talk, end, talk, end, talk, end],
      policies: [never],
      retryCaps: caps,
      work: { planner: () => "the same" },
    });
    expect(await conversation.send("hello")).toMatchObject({ outcome: { reason: "done_unverified" } });
    expect(patternOf(requests)).toBe(pattern);
  });

  it("progress between two attempts to end resets the count", async () => {
    let said = 0;
    const { conversation, requests } = scripted({
      decisions: [talk, end, talk, end, talk, end, talk, end, talk],
      policies: [never],
      work: { planner: () => String((said += 1)) },
    });
    await conversation.send("hello");
    expect(patternOf(requests).startsWith("..!.!.!.!")).toBe(true);
  });

  it.each([["observe"], ["nudge"]] as const)("END in mode %s is not refused, but ends unverified", async (mode) => {
    const { conversation } = scripted({ mode, decisions: [full[0]!, end] });
    expect(await conversation.send("Add it")).toMatchObject({
      status: "ended",
      phase: "execute",
      outcome: { reason: "done_unverified" },
    });
  });

  it("the end waits for stopped agents and records their results as late", async () => {
    const stuck = latch();
    const { conversation, dataOf, time } = scripted({
      roundTimeoutMs: 1000,
      graceMs: 100,
      decisions: [{ agents: ["planner"], reason: "think" }, end],
      work: {
        planner: async () => {
          await stuck.promise;
          return "at last";
        },
      },
    });
    const sent = conversation.send("think");
    await time.advance(1000);
    expect(dataOf(roundClosed)).toEqual([{ round: "round-1", why: "timeout", missing: ["planner"] }]);
    await time.advance(100);
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "timeout" }]);
    stuck.open();
    await time.settle();
    expect(await sent).toMatchObject({ status: "ended", outcome: { reason: "done" } });
    expect(dataOf(agentFinished)).toMatchObject([{ outcome: "timeout" }, { outcome: "done", text: "at last" }]);
    expect(dataOf(completionIgnored)).toEqual([
      { round: "round-1", agent: "planner", why: "late" },
      { round: "round-1", agent: "planner", why: "late" },
    ]);
    expect(conversation.state.rounds[0]?.completions).toEqual([]);
  });

  it("onLate receives a result that arrives after the run has ended", async () => {
    const stuck = latch();
    const late: unknown[] = [];
    const { conversation, log, time } = scripted({
      roundTimeoutMs: 1000,
      graceMs: 10,
      onLate: (completion) => late.push(completion),
      decisions: [{ agents: ["planner"], reason: "think" }, end],
      work: {
        planner: async () => {
          await stuck.promise;
          return "too late";
        },
      },
    });
    const sent = conversation.send("think");
    await time.advance(2000);
    expect(await sent).toMatchObject({ status: "ended" });
    const { length } = log;
    stuck.open();
    await time.settle();
    expect(late).toMatchObject([{ agent: "planner", round: "round-1", text: "too late" }]);
    expect(log).toHaveLength(length);
  });
});

describe("other ends", () => {
  it("a budget of turns limits routings", async () => {
    const { conversation, contexts } = scripted({
      policies: [budget({ turns: 2 })],
      decisions: Array.from({ length: 9 }, (_, n) => ({ agents: ["planner"], reason: String(n) })),
    });
    expect(await conversation.send("go")).toMatchObject({
      status: "ended",
      outcome: { reason: "turn_limit", verified: false },
    });
    expect(contexts).toHaveLength(2);
  });

  it("an agent's spending counts against the conversation's budget and stops it", async () => {
    const { conversation, contexts } = scripted({
      policies: [budget({ tokens: 100 })],
      decisions: Array.from({ length: 9 }, (_, n) => ({ agents: ["planner"], reason: String(n) })),
      work: {
        planner: ({ run }) => {
          run.record({ type: "model.answered", usage: { inputTokens: 60 } });
          return `text ${run.id}`;
        },
      },
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended", outcome: { reason: "token_limit" } });
    expect(contexts).toHaveLength(2);
  });

  it.each([
    { what: "nothing new", texts: () => "the same", caps: { withoutProgress: 3 }, rounds: 4 },
    { what: "ever new texts", texts: (n: number) => String(n), caps: { withoutProgress: 3, absolute: 7 }, rounds: 7 },
  ])("rounds that bring $what stop the conversation after $rounds", async ({ texts, caps, rounds }) => {
    let n = 0;
    const { conversation, dataOf } = scripted({
      roundCaps: caps,
      decisions: Array.from({ length: 50 }, () => ({ agents: ["planner"], reason: "again" })),
      work: { planner: () => texts((n += 1)) },
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended", outcome: { reason: "aborted_stagnation" } });
    expect(dataOf(roundOpened)).toHaveLength(rounds);
  });

  it("a log that rejects rounds ends the conversation", async () => {
    const { conversation, requests } = scripted({
      redact: (fact) => (fact["name"] === "round.opened" ? { ...fact, name: "gone" } : fact),
      decisions: Array.from({ length: 9 }, () => ({ agents: ["planner"], reason: "x" })),
    });
    expect(await conversation.send("go")).toMatchObject({ status: "ended", outcome: { reason: "policy_stop" } });
    expect(requests).toHaveLength(1);
  });

  it("a message of the user resets both counts", async () => {
    const { conversation, dataOf } = scripted({
      roundCaps: { withoutProgress: 2, absolute: 3 },
      decisions: Array.from({ length: 50 }, () => ({ agents: ["planner"], reason: "again" })),
      work: { planner: () => ({ text: "same", question: "?" }) },
    });
    for (let n = 0; n < 6; n += 1) expect(await conversation.send("go on")).toMatchObject({ status: "waiting" });
    expect(dataOf(roundOpened)).toHaveLength(6);
  });
});
