import { codingRun } from "@phasekit/coding";
import { budget, createRun, trackRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { describe, expect, it } from "vitest";

// The compiler refuses these; plain JavaScript can still write them.
describe("a mistake in plain JavaScript", () => {
  it.each<[string, () => unknown, string]>([
    ["a misspelled limit", () => budget({ turn: 3 } as never), 'The option "turn" is wrong: there is only turns'],
    ["a limit that is text", () => budget({ turns: "3" } as never), 'The option "turns" is wrong'],
    ["a mode that is none", () => codingRun({ mode: "gated" } as never), "is not one of observe, nudge, gate"],
    [
      "a policy that was not called",
      () => createRun({ policies: [budget] } as never),
      '"budget" is a function: call it',
    ],
    ["a store that is a path", () => storeRun(createRun(), ".phasekit/runs" as never), "it must be a store"],
    ["no store", () => storeRun(createRun(), undefined as never), "it must be a store"],
  ])("%s throws what is wrong", (_what, call, message) => {
    expect(call).toThrow(message);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a promise instead of a function", () => trackRun(createRun(), Promise.resolve(1) as never)],
    ["the function first", () => trackRun((() => 1) as never, createRun() as never)],
  ])("trackRun with %s throws what is wrong", async (_what, call) => {
    await expect(call()).rejects.toThrow("trackRun(run, () => generate(prompt))");
  });
});
