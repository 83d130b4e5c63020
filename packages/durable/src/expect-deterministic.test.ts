import type { Run } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { durableRun } from "./durable-run.ts";
import { createSteps, type WriteStep } from "./steps.ts";
import { expectDeterministic } from "./expect-deterministic.ts";

/** One turn; the text that is recorded comes from `say`, outside of a step. */
function loopThat(
  say: (turn: number) => string,
  { names = String }: { readonly names?: (turn: number) => string } = {},
) {
  return async (write: WriteStep): Promise<Run> => {
    const steps = createSteps(write);
    await steps.step("start", () => undefined);
    const run: Run = durableRun({ id: "run-1", steps }) as Run;
    for (let turn = 0; turn < 3; turn += 1) {
      run.beforeTurn();
      await steps.step(names(turn), () => undefined);
      run.record({ type: "message.sent", text: say(turn) });
    }
    return run;
  };
}

describe("expectDeterministic", () => {
  let calls = 0;
  it("expectDeterministic accepts a loop whose time and chance come from steps", async () => {
    await expectDeterministic(loopThat((turn) => `turn ${String(turn)}`));
  });

  it.each([
    { what: "Date.now()", say: () => String(Date.now()) },
    { what: "new Date()", say: () => new Date().toISOString() },
    { what: "performance.now()", say: () => String(performance.now()) },
    { what: "Math.random()", say: () => String(Math.random()) },
    { what: "crypto.randomUUID()", say: () => crypto.randomUUID() },
    { what: "state outside the loop", say: () => String((calls += 1)) },
  ])("expectDeterministic finds $what between two steps", async ({ say }) => {
    const host = [Date, Math.random];
    await expect(expectDeterministic(loopThat(say))).rejects.toMatchObject({
      code: "NOT_DETERMINISTIC",
      message: expect.stringContaining('an event is {"type":"message.sent","seq":3') as string,
    });
    expect([Date, Math.random]).toEqual(host);
  });

  it("expectDeterministic finds a loop that takes other steps", async () => {
    await expect(
      expectDeterministic(
        loopThat(() => "same", {
          names: (turn) => (Date.now() % 86_400_000 < 0 ? "" : `${String(turn)} ${String((calls += 1))}`),
        }),
      ),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/step 2 is "0 \d+" in a replay; before, it was "0 \d+"/) as string,
    });
  });

  it("expectDeterministic finds an event that the run rejected", async () => {
    const loop = async (write: WriteStep): Promise<Run> => {
      const run = await loopThat(() => "same")(write);
      run.record({ type: "tool.finished", call: "c", outcome: "error", error: "text" } as never);
      return run;
    };
    await expect(expectDeterministic(loop)).rejects.toMatchObject({
      message: expect.stringContaining("the run rejected an event") as string,
    });
  });
});
