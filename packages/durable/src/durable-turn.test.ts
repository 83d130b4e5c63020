import { definePolicy, review } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { durableRun } from "./durable-run.ts";
import { durableTurn } from "./durable-turn.ts";
import { newEvents } from "./kept-log.ts";
import { createSteps } from "./steps.ts";

const asksOnce = definePolicy({
  name: "asks",
  decide: {
    "turn.started": ({ turn }) => (turn === 1 ? review({ kind: "plan", text: "Is the plan right?" }) : undefined),
  },
});

async function reviewedRun() {
  let time = 1000;
  const steps = createSteps((_name, work) => work(), { clock: () => (time += 1000) });
  await steps.step("start", () => undefined);
  return { steps, run: durableRun({ id: "run-1", mode: "gate", policies: [asksOnce], steps }) };
}

describe("durableTurn", () => {
  it("durableTurn waits for a person, and records the verdict at the time it came", async () => {
    const { run, steps } = await reviewedRun();
    const asked: string[] = [];
    const turn = await durableTurn(run, steps, ({ text }) => {
      asked.push(text);
      return Promise.resolve({ verdict: "needs-changes", feedback: "Smaller steps.", reviewer: "Ada" });
    });
    expect(asked).toEqual(["Is the plan right?"]);
    expect(turn.review).toBeUndefined();
    expect(newEvents(run, 0)).toContainEqual(
      expect.objectContaining({ type: "review.finished", verdict: "needs-changes", reviewer: "Ada", at: 3000 }),
    );
    run.record({ type: "model.answered" });
    await durableTurn(run, steps, () => Promise.reject(new Error("not asked again")));
  });

  it("durableTurn hands on what the engine throws, and records no verdict", async () => {
    const { run, steps } = await reviewedRun();
    await expect(durableTurn(run, steps, () => Promise.reject(new Error("cancelled")))).rejects.toThrow("cancelled");
    expect(newEvents(run, 0).map(({ type }) => type)).not.toContain("review.finished");
  });
});
