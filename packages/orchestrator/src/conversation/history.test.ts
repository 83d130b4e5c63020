import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";
import { phaseHistory, renderHistory } from "./history.ts";

const entry = (n: number, text: string) => ({ seq: n, at: n, entry: "chat#1", kind: "agent" as const, who: "a", text });
const visit = { phase: "chat", entry: "chat#1", startedAt: 0 };
const tokens = (text: string): number => Math.ceil(text.length / 4);

describe("renderHistory", () => {
  it.each([0, 1, 9, 20, 50, 200, 1000])("renderHistory keeps the newest lines within %i tokens", (maxTokens) => {
    const entries = Array.from({ length: 60 }, (_, n) => entry(n, `text ${String(n)} ${"x".repeat(n % 17)}`));
    const text = renderHistory({ visits: [visit], entries }, { maxTokens });
    expect(tokens(text)).toBeLessThanOrEqual(Math.max(maxTokens, tokens("(Earlier history is left out.)")));
    if (maxTokens >= 50) expect(text).toContain("text 59");
    expect(text.includes("text 0 ")).toBe(maxTokens >= 1000);
  });

  it("renderHistory says so if it leaves lines out", () => {
    const entries = [entry(1, "first"), entry(2, "second")];
    expect(renderHistory({ visits: [visit], entries })).toBe("[chat, now]\na: first\na: second");
    expect(renderHistory({ visits: [visit], entries }, { maxTokens: 12 })).toBe(
      "(Earlier history is left out.)\na: second",
    );
    expect(renderHistory({ visits: [], entries: [] })).toBe("");
  });

  it("renderHistory counts with countTokens", () => {
    const entries = [entry(1, "first"), entry(2, "second")];
    expect(renderHistory({ visits: [visit], entries }, { maxTokens: 2, countTokens: () => 1 })).toBe(
      "(Earlier history is left out.)\na: second",
    );
  });
});

describe("phaseHistory", () => {
  it("phaseHistory of a new conversation is one current phase with the request", async () => {
    const { conversation } = scripted({
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("Build a login page");
    const history = conversation.phaseHistory();
    expect(history).toMatchObject([{ phase: "chat", current: true }]);
    expect(history[0]?.result).toBeUndefined();
    expect(history[0]?.entries[0]).toMatchObject({ kind: "user", who: "user", text: "Build a login page" });
  });

  it("phaseHistory has results for closed phases and none for the current one", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], phase: "plan", reason: "think first" },
        { agents: ["executor"], phase: "execute", reason: "act now" },
      ],
      work: { executor: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("Add it");
    expect(
      conversation.phaseHistory().map(({ phase, reason, result, current }) => ({ phase, reason, result, current })),
    ).toEqual([
      { phase: "chat", reason: undefined, result: "think first", current: false },
      { phase: "plan", reason: "think first", result: "planner: planner is done", current: false },
      { phase: "execute", reason: "act now", result: undefined, current: true },
    ]);
  });

  it("phaseHistory shows a message of the user in the current phase", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], phase: "plan", reason: "p" },
        { agents: ["planner"], reason: "q" },
      ],
      work: { planner: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("Add it");
    await conversation.send("Stop, blue!");
    expect(
      phaseHistory(conversation.state)
        .at(-1)
        ?.entries.map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ["agent", "?"],
      ["user", "Stop, blue!"],
      ["agent", "?"],
    ]);
  });
});
