import type { EventOf, Meaning } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { foldCall } from "./fold-call.ts";
import { createStallState } from "./stall-state.ts";

type Call = Meaning & {
  readonly turn?: number;
  readonly outcome?: "ok" | "error";
  readonly tool?: string;
  readonly output?: string;
};

/** The level after each call. Every call has a turn of its own unless it names one. */
function levelsOf(calls: readonly Call[]): readonly number[] {
  const state = createStallState();
  return calls.map(({ turn, outcome = "ok", tool = "bash", output = "", ...meaning }, index) => {
    const event = { type: "tool.finished", tool, turn: turn ?? index + 1, outcome, output, meaning };
    foldCall(state, event as unknown as EventOf<"tool.finished">);
    return Math.round(state.level * 100) / 100;
  });
}

const last = (calls: readonly Call[]): number => levelsOf(calls).at(-1) ?? 0;
const look = (about: string, gain = 1): Call => ({ about, effect: "look", answer: "content", gain });
const again = (call: Call): Call => ({ ...call, gain: 0, moved: false });
const edit = (about: string, more: Call = {}): Call => ({
  about,
  activity: "edit",
  effect: "change",
  answer: "done",
  gain: 0,
  ...more,
});

describe("foldCall", () => {
  it("charges a look that says nothing new, and not one that says enough", () => {
    expect(last([look("a", 0)])).toBe(1);
    expect(last([look("a", 0.4)])).toBe(0);
  });

  it("charges a repeated call more than a useless one", () => {
    expect(last([look("a"), again(look("a"))])).toBe(2.5);
  });

  it("does not charge an action that works, however little it answers", () => {
    expect(last([{ about: "mv", effect: "act", answer: "nothing", gain: 0 }])).toBe(0);
  });

  it("charges an action that leaves a page as the one before showed it, and not a word that confirms it", () => {
    const click = (about: string, output: string): Call => ({
      about,
      effect: "act",
      answer: "content",
      gain: 0,
      output,
    });
    const page = "title: shop; 50 elements; the same text";
    expect(levelsOf([click("a", page), click("b", page), click("c", page)])).toEqual([0.5, 1.49, 2.44]);
    expect(last([click("a", "BEGIN\nCOMMIT"), click("b", "BEGIN\nCOMMIT")])).toBeLessThan(1);
  });

  it("charges nothing for an answer that is missing, except asking again", () => {
    const blind = (about: string): Call => ({ about, effect: "look" });
    expect(last([blind("a"), blind("b"), blind("c")])).toBe(0);
    expect(last([blind("a"), blind("b"), blind("a")])).toBe(1);
    expect(last([blind("a"), blind("a")])).toBe(2.5);
    expect(last([blind("a"), edit("e"), blind("a")])).toBe(0);
  });

  it("pays for new work, and not for work that fails or repeats the call before", () => {
    const stalled = [look("a", 0), look("b", 0), look("c", 0)];
    const before = last(stalled);
    expect(last([...stalled, edit("e")])).toBeLessThan(before);
    expect(last([...stalled, edit("e", { outcome: "error", answer: "failure" })])).toBeGreaterThan(before);
    expect(last([...stalled, edit("e"), edit("e", { moved: true })])).toBeGreaterThan(last([...stalled, edit("e")]));
  });

  it("pays for the same edit in another place", () => {
    const stalled = [look("a", 0), look("b", 0), look("c", 0), edit("e"), look("other file")];
    expect(last([...stalled, edit("e", { moved: true })])).toBeLessThan(last(stalled));
  });

  it("charges a failed attempt half", () => {
    expect(last([edit("e", { outcome: "error", answer: "failure" })])).toBe(0.5);
  });

  it.each([
    { name: "another answer", moved: true, outcome: "error" as const, costs: 0 },
    { name: "the same fine answer", moved: false, outcome: "ok" as const, costs: 0.5 },
    { name: "the same failure", moved: false, outcome: "error" as const, costs: 1 },
  ])("charges a check after a change with $name: $costs", ({ moved, outcome, costs }) => {
    const check: Call = { about: "npm test", effect: "check", answer: "content", gain: 0 };
    expect(last([{ ...check, gain: 1 }, edit("e"), { ...check, moved, outcome }])).toBe(costs);
  });

  it("pays for changes until two checks fail as before, and again when one fails in another way", () => {
    const red: Call = { about: "npm test", effect: "check", answer: "failure", outcome: "error", gain: 0 };
    const round = (n: number, moved = false): readonly Call[] => [edit(`e${n}`), { ...red, moved }];
    const stay = [{ ...red, gain: 1 }, ...[1, 2, 3, 4, 5].flatMap((n) => round(n))];
    const levels = levelsOf([...stay, ...round(6, true), edit("e7")]);
    expect(levels.slice(1, 6)).toEqual([0, 1, 0, 1, 0.97]);
    expect(levels[10]).toBeGreaterThan(3);
    expect((levels[12] ?? 0) - (levels[13] ?? 0)).toBeGreaterThan(1.5);
  });

  it("does not take an action that is accepted for a poll", () => {
    const send: Call = { about: "send", effect: "act", answer: "pending", gain: 0 };
    expect(last([send])).toBe(0);
    expect(last([send, again(send)])).toBe(0.6);
  });

  it("charges little for a probe behind a sleep of its own", () => {
    const probe: Call = { about: "curl", effect: "look", answer: "failure", outcome: "error", parts: ["wait", "read"] };
    expect(last([{ ...probe, gain: 1 }, again(probe)])).toBe(0.6);
  });

  it("does not take a known answer to a question from before a message of the user for a repetition", () => {
    expect(last([again({ about: "npm test", effect: "check", answer: "content" })])).toBe(0);
    expect(last([again(look("a"))])).toBe(1);
  });

  it("notes the turn in which work landed last", () => {
    const state = createStallState();
    const calls = [edit("a"), look("b"), edit("c", { outcome: "error", answer: "failure" })];
    for (const [index, meaning] of calls.entries()) {
      const event = { tool: "t", turn: index + 1, outcome: meaning.outcome ?? "ok", output: "", meaning };
      foldCall(state, event as unknown as EventOf<"tool.finished">);
    }
    expect(state.workedIn).toBe(1);
  });

  it("does not charge equal calls of one turn", () => {
    expect(
      last([
        { ...look("a"), turn: 1 },
        { ...again(look("a")), turn: 1 },
      ]),
    ).toBe(0);
  });

  it("charges little for polling something that is not ready", () => {
    const poll: Call = { about: "status", effect: "look", answer: "pending", gain: 0, moved: false };
    expect(last([poll])).toBe(0.6);
    const probe: Call = { about: "curl", effect: "act", answer: "failure", outcome: "error", gain: 0 };
    const wait: Call = { about: "sleep", effect: "wait", answer: "nothing", gain: 0 };
    expect(last([{ ...probe, gain: 1 }, wait, again(probe)])).toBeLessThan(1);
  });

  it("pays for a better test result", () => {
    const stalled = [look("a", 0), look("b", 0)];
    const test = (failed: number): Call => ({
      about: "t",
      effect: "check",
      gain: 0,
      moved: true,
      tests: { verdict: "fail", failed },
    });
    expect(last([...stalled, test(5), edit("e"), test(3)])).toBeLessThan(
      last([...stalled, test(5), edit("e"), test(5)]),
    );
  });

  it("keeps bounded memory", () => {
    const state = createStallState();
    for (let i = 0; i < 5000; i += 1) {
      const event = { tool: "t", turn: i, outcome: "ok", output: "", meaning: look(`call ${i}`) };
      foldCall(state, event as unknown as EventOf<"tool.finished">);
    }
    expect(state.asked.size).toBeLessThanOrEqual(512);
    expect(state.recent.length).toBeLessThanOrEqual(12);
  });
});
