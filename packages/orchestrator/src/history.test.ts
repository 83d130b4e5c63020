import { describe, expect, it } from "vitest";
import { scripted } from "./__fixtures__/scripted-conversation.ts";
import { phaseHistory, renderHistory } from "./history.ts";

const entry = (n: number, text: string) => ({ seq: n, at: n, entry: "chat#1", kind: "agent" as const, who: "a", text });
const stay = { phase: "chat", entry: "chat#1", startedAt: 0 };
const tokens = (text: string): number => Math.ceil(text.length / 4);

describe("renderHistory", () => {
  it.each([0, 1, 9, 20, 50, 200, 1000])("stays within %i tokens, newest first to stay", (maxTokens) => {
    const entries = Array.from({ length: 60 }, (_, n) => entry(n, `text ${String(n)} ${"x".repeat(n % 17)}`));
    const text = renderHistory({ stays: [stay], entries }, { maxTokens });
    expect(tokens(text)).toBeLessThanOrEqual(Math.max(maxTokens, tokens("(What came before is left out.)")));
    if (maxTokens >= 50) expect(text).toContain("text 59");
    expect(text.includes("text 0 ")).toBe(maxTokens >= 1000);
  });

  it("says what it leaves out, and nothing when it leaves nothing out", () => {
    const entries = [entry(1, "first"), entry(2, "second")];
    expect(renderHistory({ stays: [stay], entries })).toBe("[chat, now]\na: first\na: second");
    expect(renderHistory({ stays: [stay], entries }, { maxTokens: 12 })).toBe("(What came before is left out.)\na: second");
    expect(renderHistory({ stays: [], entries: [] })).toBe("");
  });

  it("counts as it is told", () => {
    const entries = [entry(1, "first"), entry(2, "second")];
    expect(renderHistory({ stays: [stay], entries }, { maxTokens: 2, countTokens: () => 1 })).toBe("(What came before is left out.)\na: second");
  });
});

describe("phaseHistory", () => {
  it("of a new conversation is one current phase that holds the request", async () => {
    const { conversation } = scripted({ decisions: [{ agents: ["planner"], reason: "x" }], work: { planner: () => ({ text: "?", question: "?" }) } });
    await conversation.send("Build a login page");
    const history = conversation.phaseHistory();
    expect(history).toMatchObject([{ phase: "chat", current: true }]);
    expect(history[0]?.result).toBeUndefined();
    expect(history[0]?.entries[0]).toMatchObject({ kind: "user", who: "user", text: "Build a login page" });
  });

  it("has closed phases with their results, and one current without", async () => {
    const { conversation } = scripted({ decisions: [{ agents: ["planner"], phase: "plan", reason: "think first" }, { agents: ["executor"], phase: "execute", reason: "act now" }], work: { executor: () => ({ text: "?", question: "?" }) } });
    await conversation.send("Add it");
    expect(conversation.phaseHistory().map(({ phase, reason, result, current }) => ({ phase, reason, result, current }))).toEqual([
      { phase: "chat", reason: undefined, result: "think first", current: false },
      { phase: "plan", reason: "think first", result: "planner: planner is done", current: false },
      { phase: "execute", reason: "act now", result: undefined, current: true },
    ]);
  });

  it("shows an interruption of the person in the current phase", async () => {
    const { conversation } = scripted({ decisions: [{ agents: ["planner"], phase: "plan", reason: "p" }, { agents: ["planner"], reason: "q" }], work: { planner: () => ({ text: "?", question: "?" }) } });
    await conversation.send("Add it");
    await conversation.send("Stop, blue!");
    expect(phaseHistory(conversation.state).at(-1)?.entries.map(({ kind, text }) => [kind, text])).toEqual([["agent", "?"], ["user", "Stop, blue!"], ["agent", "?"]]);
  });
});
