import { budget, definePolicy, nudge, type Policy, type Run, stallReminder } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { durableRun } from "./durable-run.ts";
import { createSteps, type WriteStep } from "./steps.ts";

/** An engine in memory: results in the order of the steps. */
function engine(journal: unknown[]): WriteStep {
  let next = 0;
  return async (_name, work) => {
    const place = next;
    next += 1;
    if (place >= journal.length) journal[place] = await work();
    return JSON.parse(JSON.stringify(journal[place])) as Awaited<ReturnType<typeof work>>;
  };
}

/** Two turns with one model step each. */
async function loop(journal: unknown[], policies: readonly Policy[]): Promise<Run> {
  const steps = createSteps(engine(journal));
  await steps.step("start", () => undefined);
  const run = durableRun({ id: "run-1", policies, steps }) as Run;
  for (let turn = 0; turn < 2; turn += 1) {
    run.beforeTurn();
    await steps.step(`model ${String(turn)}`, () => "hello");
    run.record({ type: "model.answered" });
  }
  return run;
}

const says = (text: string): Policy =>
  definePolicy({ name: "speaker", decide: { "turn.started": ({ turn }) => (turn === 2 ? nudge(text) : undefined) } });

describe("createSteps", () => {
  it("a replay with the same policies does not notice that it is one", async () => {
    const journal: unknown[] = [];
    await loop(journal, [says("Go on.")]);
    const before = JSON.stringify(journal);
    await expect(loop(journal, [says("Go on.")])).resolves.toBeDefined();
    expect(JSON.stringify(journal)).toBe(before);
  });

  it("a replay with other policies fails by name, says what changed and what to do", async () => {
    const journal: unknown[] = [];
    await loop(journal, [stallReminder()]);
    await expect(loop(journal, [budget({ turns: 5 })])).rejects.toMatchObject({
      code: "REPLAY_CHANGED",
      message:
        'Before the step "model 0", the run differs from the one in the workflow\'s journal (event 2 there, 2 now).' +
        " Since it was started: policy budget was added; policy stall-reminder was removed.",
      hint: expect.stringContaining("docs/engines.md") as string,
    });
  });

  it("a replay with a policy that speaks otherwise fails at the next step", async () => {
    const journal: unknown[] = [];
    await loop(journal, [says("Go on.")]);
    await expect(loop(journal, [says("Stop.")])).rejects.toMatchObject({
      code: "REPLAY_CHANGED",
      message: expect.stringContaining('Before the step "model 1"') as string,
    });
  });

  it("time never goes back, whichever machine did the step", async () => {
    const times = [5000, 3000, 7000];
    const steps = createSteps((_name, work) => work(), { clock: () => times.shift() ?? 0 });
    expect(steps.now()).toBeNaN();
    const seen: number[] = [];
    for (const name of ["a", "b", "c"]) {
      await steps.step(name, () => undefined);
      seen.push(steps.now());
    }
    expect(seen).toEqual([5000, 5000, 7000]);
  });

  it("a step that fails fails the workflow's code", async () => {
    const steps = createSteps((_name, work) => work());
    await expect(steps.step("model", () => Promise.reject(new Error("overloaded")))).rejects.toThrow("overloaded");
  });
});
