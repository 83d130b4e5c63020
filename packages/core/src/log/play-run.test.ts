import { describe, expect, it } from "vitest";
import { refuse } from "../policies/decision.ts";
import { definePolicy } from "../policies/policy.ts";
import type { NewEvent, RunEvent } from "../events/run-event.ts";
import { openPlay, playRun } from "./play-run.ts";

const call = (id: string, tool: string, at: number): readonly NewEvent[] => [
  { type: "tool.requested", call: id, tool, input: {}, at },
  { type: "tool.finished", call: id, outcome: "ok", output: "done", at: at + 1 },
];

const noShell = definePolicy({
  name: "no-shell",
  decide: { "tool.requested": (_run, _state, { tool }) => (tool === "Bash" ? refuse("No shell.") : undefined) },
});

const patient = { initial: "work", phases: { work: { next: ["late"], timeoutMs: 100 }, late: { next: [] } } } as const;

describe("playRun", () => {
  it("playRun keeps the agent's calls and leaves out the results of those that are refused now", () => {
    const events: RunEvent[] = [];
    const { outcome, view } = playRun(
      { id: "r", startedAt: 1, events: [...call("1", "Bash", 2), ...call("2", "Read", 4)], ending: {} },
      { mode: "gate", policies: [noShell], subscribe: (step) => events.push(...step) },
    );
    expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([{ call: "2" }]);
    expect(events[0]).toMatchObject({ type: "run.started", run: "r", at: 1 });
    expect(outcome?.reason).toBe("done");
    expect(view.toolCalls).toBe(2);
  });

  it("playRun passes a deadline at its own time, before the next event", () => {
    const events: RunEvent[] = [];
    playRun(
      { id: "r", startedAt: 0, events: [...call("1", "Read", 10), ...call("2", "Read", 500)] },
      { graph: patient, subscribe: (step: readonly RunEvent[]) => events.push(...step) },
    );
    expect(events.filter(({ type }) => type === "clock.ticked").map(({ at }) => at)).toEqual([100]);
  });

  it("openPlay says what became of each event", () => {
    const { take, end, run } = openPlay({ id: "r" }, { mode: "gate", policies: [noShell] });
    const [request, result] = call("1", "Bash", 1) as [NewEvent, NewEvent];
    expect([take(request), take(result)]).toEqual(["recorded", "avoided"]);
    end({ reason: "cancelled", at: 9 });
    expect(run.outcome?.reason).toBe("cancelled");
    expect(take(request)).toBe("ignored");
  });
});
