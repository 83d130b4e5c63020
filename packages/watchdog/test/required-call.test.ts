import { describe, expect, it } from "vitest";
import { requiredCall } from "../src/index.ts";
import { startRun } from "./case-driver.ts";

type Turn = "text" | "other" | "finish";

/** Plays turns until the run stops: how many were played, what the agent was asked, and why the run stopped. */
function playTurns(turns: readonly Turn[], options: Parameters<typeof requiredCall>[0] = { tool: "finish" }) {
  const { run, log } = startRun({ policies: [requiredCall(options)] });
  let played = 0;
  for (const turn of turns) {
    if (run.beforeTurn().stop !== undefined) break;
    played += 1;
    run.record({ type: "model.answered" });
    run.record(
      turn === "text"
        ? { type: "message.sent", text: `words ${String(played)}` }
        : { type: "tool.finished", tool: turn === "finish" ? turn : "look", input: { n: played }, outcome: "ok" },
    );
  }
  run.beforeTurn();
  const asked = log.flatMap((event) => (event.type === "nudge.sent" ? [event.turn ?? 0] : []));
  return { played, asked, reason: run.view.stopped?.reason };
}

describe("requiredCall", () => {
  it.each<{ turns: readonly Turn[]; played: number; asked: readonly number[]; reason?: string }>([
    { turns: ["other", "other", "finish"], played: 3, asked: [] },
    { turns: ["text", "finish", "other", "text"], played: 4, asked: [2] },
    { turns: ["text", "text", "text", "text"], played: 3, asked: [2, 3], reason: "function_call_failed" },
    { turns: ["text", "other", "other", "other"], played: 3, asked: [2, 3], reason: "function_call_failed" },
  ])("$turns: asked in turns $asked, $reason", ({ turns, played, asked, reason }) => {
    expect(playTurns(turns)).toEqual({ played, asked, reason });
  });

  it("requiredCall asks, then stops an agent that only calls other tools", () => {
    const turns = Array.from({ length: 20 }, (): Turn => "other");
    expect(playTurns(turns, { tool: "finish", otherTurns: 3 })).toEqual({
      played: 5,
      asked: [4, 5],
      reason: "function_call_failed",
    });
    expect(playTurns(turns.slice(0, 9))).toEqual({ played: 9, asked: [], reason: undefined });
    expect(playTurns(turns).reason).toBe("function_call_failed");
  });
});
