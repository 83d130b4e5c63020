import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { alert, nudge, review, stop } from "../policies/decision.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { Interpreter } from "../ingest/interpreter.ts";
import { definePhaseGraph, type PhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { replayRun } from "./replay-run.ts";

const graph = definePhaseGraph({
  name: "work",
  initial: "plan",
  phases: { plan: { next: ["code"] }, code: { next: ["plan"] } },
});
const speaker = (version?: string): Policy =>
  definePolicy({
    name: "speaker",
    ...(version !== undefined && { version }),
    decide: { "turn.started": () => [nudge("Say it."), alert({ kind: "k" })], "progress.made": () => stop() },
  });

describe("replayRun", () => {
  it("replayRun restores the unfinished phase, with everything pending", () => {
    const asks = definePolicy({
      name: "asks",
      decide: { "turn.started": () => [review({ kind: "k", text: "?" }), nudge("x")] },
    });
    const { run, log } = loggedRun({ graph, mode: "gate", policies: [asks] });
    run.transition("code");
    run.beforeTurn();
    run.beforeTool({ call: "c", tool: "Read" });
    const { run: again, missing } = replayRun(stored(log), { graph, policies: [asks] });
    expect(missing).toEqual([]);
    expect(again.id).toBe("run");
    expect(again.mode).toBe("gate");
    expect(again.view).toMatchObject({
      phase: "code",
      phaseEntry: "code#1",
      turn: 1,
      status: "running",
      outcome: undefined,
    });
    expect([...again.view.pending.keys()]).toEqual(["c"]);
    expect([...again.view.reviews.keys()]).toEqual(["asks:1"]);
    expect(again.beforeTurn().review?.review).toBe("asks:1");
  });

  it.each<{ name: string; given: PhaseGraph | undefined; error: string | undefined }>([
    { name: "the same graph", given: graph, error: undefined },
    { name: "a graph that has the phase", given: { ...graph, name: "renamed" }, error: undefined },
    {
      name: "a graph without the phase",
      given: definePhaseGraph({ initial: "other", phases: { other: { next: [] } } }),
      error: 'Run "run" is in the phase "code", but the graph that was passed has: other.',
    },
    {
      name: "no graph",
      given: undefined,
      error: 'Run "run" is in the phase "code", but its graph "work" was not passed.',
    },
  ])("replayRun with $name throws: $error", ({ given, error }) => {
    const { run, log } = loggedRun({ graph });
    run.transition("code");
    const replay = (): unknown => replayRun(stored(log), given === undefined ? {} : { graph: given });
    if (error === undefined) expect(replay).not.toThrow();
    else expect(replay).toThrow(expect.objectContaining({ code: "OTHER_GRAPH", message: error }));
  });

  it("replayRun decides what a crash cut off from the last step, and nothing twice", () => {
    const { run, log } = loggedRun({ policies: [speaker()] });
    run.beforeTurn();
    expect(log.map(({ type }) => type)).toEqual(["run.started", "turn.started", "alert.raised", "nudge.sent"]);
    for (let cut = 1; cut <= log.length; cut += 1) {
      const { run: again, missing } = replayRun(stored(log.slice(0, cut)), { policies: [speaker()] });
      const whole: RunEvent[] = [...log.slice(0, cut), ...missing];
      again.subscribe((step) => whole.push(...step));
      const answer = again.beforeTurn({ at: 1000 });
      expect(JSON.stringify(whole), `cut after ${String(cut)}`).toBe(JSON.stringify(log));
      expect(answer.nudges.map(({ text }) => text)).toEqual(["Say it."]);
    }
  });

  it("replayRun keeps the recorded decisions when the policies changed", () => {
    const { run, log } = loggedRun({ policies: [speaker()] });
    run.beforeTurn();
    const silent = definePolicy({ name: "speaker", decide: { "turn.started": () => undefined } });
    const { run: again, missing } = replayRun(stored(log), { policies: [silent] });
    expect(missing).toEqual([]);
    expect(again.view.alerts.size).toBe(1);
    expect(again.beforeTurn().nudges).toHaveLength(1);
    expect(again.view.seq).toBe(log.length);
  });

  it("a resumption names the policies that are new, gone or another version", () => {
    const { log } = loggedRun({
      policies: [speaker("1"), definePolicy({ name: "old" }), definePolicy({ name: "same", version: "3" })],
    });
    const { run } = replayRun(stored(log), {
      policies: [speaker("2"), definePolicy({ name: "new" }), definePolicy({ name: "same", version: "3" })],
      clock: () => 5000,
    });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    expect(run.resume({ why: "the process was killed" })).toBe(true);
    expect(events).toEqual([
      {
        type: "run.resumed",
        seq: 2,
        at: 5000,
        attempt: 2,
        why: "the process was killed",
        policies: [{ name: "speaker", version: "2" }, { name: "new" }, { name: "same", version: "3" }],
        changed: ["speaker@2", "new@", "-speaker@1", "-old@"],
      },
    ]);
    expect(run.view).toMatchObject({ attempt: 2, status: "running", activeMs: 0 });
  });

  it("a resumption with the same policies names no change", () => {
    const { log } = loggedRun({ policies: [speaker("1")] });
    const { run } = replayRun(stored(log), { policies: [speaker("1")] });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    run.resume();
    expect(events[0]).not.toHaveProperty("changed");
  });

  it("replayRun never interprets again: stored meaning counts, and memories are refilled from the log", () => {
    const recalled: string[] = [];
    const make = (): Interpreter => {
      let calls = 0;
      return {
        name: "counter",
        interpret: () => ({ fingerprint: `n${String((calls += 1))}` }),
        recall: (event) => {
          recalled.push(event.type);
          if (event.type === "tool.requested") calls += 1;
        },
      };
    };
    const { run, log } = loggedRun({ interpret: make });
    run.record({ type: "tool.requested", tool: "Read" });
    run.record({ type: "tool.requested", tool: "Read" });
    expect(recalled).toEqual([]);
    const { run: again } = replayRun(stored(log), { interpret: make });
    expect(recalled).toEqual(["run.started", "tool.requested", "tool.requested"]);
    expect([...again.view.pending.values()].map(({ meaning }) => meaning.fingerprint)).toEqual(["n1", "n2"]);
    again.record({ type: "tool.requested", tool: "Read" });
    expect([...again.view.pending.values()].at(-1)?.meaning.fingerprint).toBe("n3");
  });

  it("an interpreter that cannot recall does not prevent the replay", () => {
    const { log } = loggedRun();
    const broken: Interpreter = {
      name: "broken",
      interpret: () => ({}),
      recall: () => {
        throw new Error("no memory");
      },
    };
    expect(replayRun(stored(log), { interpret: broken }).run.view.seq).toBe(1);
  });

  it("a subscriber gets what comes after the log, not the log again", () => {
    const { log } = loggedRun();
    const { run } = replayRun(stored(log));
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    expect(events).toEqual([]);
    run.record({ type: "turn.started" });
    expect(events.map(({ seq }) => seq)).toEqual([2]);
  });

  it("an ended run comes back ended, and records nothing", () => {
    const { run, log } = loggedRun();
    run.end();
    const { run: again } = replayRun(stored(log));
    expect(again.outcome).toEqual(run.outcome);
    expect(again.record({ type: "turn.started" })).toBe(false);
    expect(again.resume()).toBe(false);
  });

  it("replayRun takes a mode and an id from the options", () => {
    const { log } = loggedRun({ mode: "gate" });
    const { run } = replayRun(stored(log), { mode: "observe", id: "other" });
    expect(run).toMatchObject({ mode: "observe", id: "other" });
  });

  it("replayRun throws for a damaged log and wrong options", () => {
    const { log } = loggedRun({ graph });
    expect(() => replayRun([])).toThrow("The log is damaged at event 1: it is empty.");
    expect(() => replayRun(stored(log), { graph, policies: [speaker(), speaker()] })).toThrow(
      'Two policies are named "speaker".',
    );
  });
});
