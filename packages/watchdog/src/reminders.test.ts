import { definePhaseGraph } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash } from "../test/case-builders.ts";
import { play, startRun } from "../test/case-driver.ts";
import { reminders, type RemindersOptions } from "./reminders.ts";

const graph = definePhaseGraph({
  initial: "planning",
  phases: {
    planning: { next: ["coding"], purpose: "write the plan.", activities: { deny: ["edit"] } },
    coding: { next: ["planning"], final: true },
  },
});

/** What the agent reads before each turn after these calls: `-` for a failure, `+` for a success. */
function messages(calls: string, options: RemindersOptions = {}): readonly (string | undefined)[] {
  const { run } = startRun({ graph, policies: [reminders(options)] as never });
  return Array.from(calls, (sign, n) => {
    play(run, sign === "-" ? bash(`make ${n}`, "boom", { ok: false }) : bash(`ls ${n}`, "a"));
    run.record({ type: "model.answered" });
    return run.beforeTurn().message;
  });
}

describe("reminders", () => {
  it.each([
    { calls: "+++", options: {}, reminded: [] },
    { calls: "-", options: {}, reminded: [0] },
    { calls: "+-+--", options: {}, reminded: [1] },
    { calls: "+-+--", options: { everyFailure: true }, reminded: [1, 3, 4] },
    { calls: "--", options: { phases: ["coding"] }, reminded: [] },
    { calls: "--", options: { phases: ["planning"] }, reminded: [0] },
  ])("$calls with $options reminds after calls $reminded", ({ calls, options, reminded }) => {
    expect(messages(calls, options).flatMap((text, index) => (text === undefined ? [] : [index]))).toEqual(reminded);
  });

  it("`text` writes the reminder, and gets the phase, the error and the usual text", () => {
    const text: RemindersOptions["text"] = ({ phase, error, text: usual }) => `${phase} ${error} ${usual.length > 50}`;
    expect(messages("-", { text })[0]).toContain("\nplanning boom true\n");
  });

  it("names the tool that asks for help", () => {
    expect(messages("-", { helpTool: "ask_question" })[0]).toContain("`ask_question`");
  });

  it.each([
    ["exit_code: 127", true],
    ["ERROR: no rule to make target", true],
    ["Failed: no route to host", true],
    ["done", false],
  ])("%j of a call that the host reports as ok is a failure: %s", (output, failed) => {
    const { run } = startRun({ graph, policies: [reminders()] });
    play(run, bash("make", output));
    run.record({ type: "model.answered" });
    expect(run.beforeTurn().message !== undefined).toBe(failed);
  });

  it("a phase that the graph lacks is refused", () => {
    expect(() => startRun({ graph, policies: [reminders({ phases: ["planing"] })] as never })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_PHASE" }) as Error,
    );
  });
});
