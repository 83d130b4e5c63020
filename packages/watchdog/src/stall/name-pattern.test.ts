import { describe, expect, it } from "vitest";
import { namePattern } from "./name-pattern.ts";
import type { StallEntry } from "./stall-state.ts";
import { stallText } from "../alert-text.ts";

const entry = (about: string, more: Partial<StallEntry> = {}): StallEntry => ({
  about,
  tool: "bash",
  effect: "act",
  edits: false,
  landings: 0,
  failed: false,
  repeated: false,
  waiting: false,
  gain: 0,
  turn: 1,
  answer: `answer to ${about}`,
  ...more,
});
const calls = (abouts: string, more: Partial<StallEntry> = {}): readonly StallEntry[] =>
  abouts.split(" ").map((about) => entry(`bash ${about} #1`, more));

describe("namePattern", () => {
  it.each([
    { name: "repeat", recent: calls("x a a a"), count: 3 },
    { name: "cycle", recent: calls("x a b a b"), count: 2 },
    { name: "cycle", recent: calls("a b c a b c a b c"), count: 3 },
    {
      name: "unmoved",
      recent: ["a", "b", "c"].flatMap((n) => [
        entry("bash test", { failed: true }),
        entry(`edit ${n}`, { effect: "change", gain: 1 }),
      ]),
      count: 3,
    },
    { name: "failing", recent: calls("a b c d", { failed: true }), count: 4 },
    { name: "same-answer", recent: calls("a b c", { answer: "Not Found" }), count: 3 },
    { name: "waiting", recent: calls("a a b", { waiting: true }), count: 3 },
    { name: "no-gain", recent: [entry("x", { gain: 1 }), ...calls("a b")], count: 2 },
  ])("names $name", ({ name, recent, count }) => {
    expect(namePattern(recent)).toMatchObject({ name, count });
  });

  it("names nothing without calls", () => {
    expect(namePattern([])).toBeUndefined();
  });

  it("names nothing if every call brings something new: the stall is in the texts", () => {
    expect(namePattern([entry("a", { gain: 0.4 }), entry("b", { gain: 1 })])).toBeUndefined();
  });
});

describe("stallText", () => {
  const textOf = (recent: readonly StallEntry[]): string => {
    const pattern = namePattern(recent);
    return pattern === undefined ? "" : stallText(pattern);
  };

  it.each([
    [[entry("a"), entry("b")], "2 of your last 2 calls brought nothing new"],
    [[entry("a"), entry("b"), entry("c", { gain: 1 })], "2 of your last 3 calls brought nothing new"],
  ])("counts the calls that brought nothing new, never none (%#)", (recent, text) => {
    expect(textOf(recent)).toContain(text);
  });

  it("says what repeats, how often and what came of it", () => {
    expect(textOf(calls("a a a", { failed: true, answer: "a: command not\nfound" }))).toMatchInlineSnapshot(
      `"\`bash a\` failed 3 times in the same way (a: command not found). Remove the cause first, or reach the goal without this call."`,
    );
    expect(textOf(calls("a b a b"))).toMatchInlineSnapshot(
      `"You repeat the same steps: \`bash a\`, \`bash b\`, 2 rounds without anything new. Change what one of these steps depends on, or leave them."`,
    );
  });

  it("does not ask for a change of code", () => {
    for (const recent of [calls("a a a"), calls("a b a b"), calls("a b c d", { failed: true }), calls("a b")])
      expect(textOf(recent)).not.toMatch(/change the code|edit/i);
  });
});
