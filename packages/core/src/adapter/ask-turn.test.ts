import { describe, expect, it } from "vitest";
import { stop } from "../policies/decision.ts";
import { definePolicy } from "../policies/policy.ts";
import { createRun } from "../run/run.ts";
import { askTurn, closingTurn } from "./ask-turn.ts";

function stoppedRun(how: "wrap-up" | "halt" | "abort") {
  const stops = definePolicy({
    name: "stops",
    decide: { "turn.started": () => stop({ reason: "timeout", how, text: "Say what is left." }) },
  });
  return createRun({ mode: "gate", policies: [stops] });
}

describe("askTurn", () => {
  it("askTurn turns a stop into a closing turn with its text", async () => {
    const turn = await askTurn(stoppedRun("wrap-up"));
    expect(turn).toMatchObject({ wrapUp: true, stop: { how: "wrap-up" } });
    expect(turn.message).toContain("Say what is left.");
  });

  it("askTurn throws if the run has ended, was aborted, or is over", async () => {
    const ended = createRun();
    ended.end();
    await expect(askTurn(ended)).rejects.toMatchObject({ code: "RUN_ENDED" });
    await expect(askTurn(stoppedRun("abort"))).rejects.toMatchObject({ code: "RUN_STOPPED" });
    await expect(askTurn(stoppedRun("wrap-up"), { over: true })).rejects.toMatchObject({ code: "RUN_STOPPED" });
  });

  it("askTurn leaves a turn without a stop as it is", async () => {
    expect(await askTurn(createRun(), { agent: "coder", over: true })).toMatchObject({ wrapUp: false, turn: 1 });
  });
});

describe("closingTurn", () => {
  it("closingTurn gives a run one closing turn, then throws", () => {
    const run = stoppedRun("wrap-up");
    expect(closingTurn(run, run.beforeTurn())).toMatchObject({ wrapUp: true });
    expect(() => closingTurn(run, run.beforeTurn())).toThrow(expect.objectContaining({ code: "RUN_STOPPED" }) as Error);
  });
});
