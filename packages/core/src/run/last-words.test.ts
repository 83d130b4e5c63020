import { describe, expect, it } from "vitest";
import { nameTableInterpreter } from "../ingest/name-table-interpreter.ts";
import type { NewEvent } from "../events/run-event.ts";
import { createRun } from "./run.ts";
import { readLastWords } from "./last-words.ts";
import { definePolicy } from "../policies/policy.ts";
import { veto } from "../policies/decision.ts";

describe("readLastWords", () => {
  it.each([
    ["Two ways are open.\n\nWhich approach do you prefer? I can open a pull request for either.", true, false],
    ["你想用哪种方案？", true, false],
    ["Is it `a?` or b\n\nIt is b.", false, false],
    ["Why did it fail? The path was wrong.\n\nFixed and committed.", false, false],
    ["See https://example.com/?a=b", false, false],
    ["I could not build the project.", false, true],
    ["I'm not able to reach the registry, so I stop here.", false, true],
    ["We were unable to reproduce it. Could you send the log?", true, true],
    ["The user could not log in before; now they can.", false, false],
    ["Fixed. `I could not` is now spelled out.", false, false],
  ])("%s", (text, asks, givesUp) => {
    expect(readLastWords(text)).toEqual({ asks, givesUp });
  });

  it("takes time linear in the text", () => {
    expect(readLastWords(`${"I have been ".repeat(50_000)}?`).asks).toBe(true);
  });
});

const call = (tool: string, outcome: "ok" | "error"): NewEvent => ({
  type: "tool.finished",
  tool,
  input: { command: "make" },
  outcome,
});

const unproven = definePolicy({
  name: "unproven",
  decide: { "finish.requested": () => veto("Run the tests.") },
});

function endAfter(events: readonly NewEvent[], text: string, policies = [] as readonly (typeof unproven)[]): unknown {
  const run = createRun({ mode: "observe", interpret: nameTableInterpreter(), policies });
  for (const event of events) run.record(event);
  run.beforeFinish({ text });
  run.end();
  return run.outcome?.reason;
}

describe("the last words of a run", () => {
  const failed = [call("Bash", "error")];
  const GAVE_UP = "I could not build the project.";
  it("end it as gave_up if its last try failed and nothing was changed, or a gate objects", () => {
    expect(endAfter(failed, GAVE_UP)).toBe("gave_up");
    expect(endAfter([...failed, call("Read", "ok")], GAVE_UP), "a look is no try").toBe("gave_up");
    expect(endAfter([call("Edit", "ok"), ...failed], GAVE_UP, [unproven])).toBe("gave_up");
  });

  it("do not end it as gave_up if the calls say otherwise", () => {
    expect(endAfter([call("Bash", "ok")], GAVE_UP)).toBe("done");
    expect(endAfter([call("Edit", "ok"), ...failed], "I could not run the browser tests.")).toBe("done");
    expect(endAfter(failed, "Built.", [unproven])).toBe("done_unverified");
  });

  it("end it as asked if nothing was changed since the user spoke", () => {
    const question = "Which one do you prefer?";
    expect(endAfter([call("Read", "ok")], question)).toBe("asked");
    expect(endAfter([call("Edit", "ok")], "Done. Shall I commit it?")).toBe("done");
    const next: NewEvent = { type: "message.received", text: "And now?" };
    expect(endAfter([call("Edit", "ok"), next, call("Read", "ok")], question)).toBe("asked");
  });

  it("of a run that asked leave it open for the answer", () => {
    const run = createRun();
    run.beforeFinish({ text: "Which one?" });
    run.end();
    expect([run.outcome?.reason, run.resume(), run.view.status]).toEqual(["asked", true, "running"]);
  });
});
