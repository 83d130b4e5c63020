import { describe, expect, it } from "vitest";
import { createRun } from "../run/run.ts";
import { askTurn, closingTurn } from "./ask-turn.ts";

function stoppedRun(how: "wrap-up" | "halt" | "abort") {
  const run = createRun();
  run.stop({ name: "Ann", why: "Say what is left.", how });
  return run;
}

describe("askTurn", () => {
  it("askTurn turns a stop into a closing turn with its text", async () => {
    const turn = await askTurn(stoppedRun("halt"));
    expect(turn).toMatchObject({ wrapUp: true, stop: { how: "halt" } });
    expect(turn.message).toContain("Say what is left.");
  });

  it("askTurn throws if the run has ended, was aborted, or is over", async () => {
    const ended = createRun();
    ended.end();
    await expect(askTurn(ended)).rejects.toMatchObject({ code: "RUN_ENDED" });
    await expect(askTurn(stoppedRun("abort"))).rejects.toMatchObject({ code: "RUN_STOPPED" });
    await expect(askTurn(stoppedRun("halt"), { over: true })).rejects.toMatchObject({ code: "RUN_STOPPED" });
  });

  it("askTurn leaves a turn without a stop as it is", async () => {
    expect(await askTurn(createRun(), { agent: "coder", over: true })).toMatchObject({ wrapUp: false, turn: 1 });
  });
});

describe("closingTurn", () => {
  it.each(["wrap-up", "halt"] as const)("closingTurn gives a run that was stopped by %s one closing turn", (how) => {
    const run = stoppedRun(how);
    expect(closingTurn(run, run.beforeTurn())).toMatchObject({ wrapUp: true });
    run.record({ type: "model.answered" });
    expect(() => closingTurn(run, run.beforeTurn())).toThrow(expect.objectContaining({ code: "RUN_STOPPED" }) as Error);
  });
});
