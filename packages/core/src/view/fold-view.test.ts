import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { veto } from "../policies/decision.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { definePolicy } from "../policies/policy.ts";

describe("progress", () => {
  it.each<{ readonly input: NewEvent; readonly what: string | undefined }>([
    { input: { type: "message.received", text: "Go on." }, what: "a message to the agent" },
    { input: { type: "verdict.given", claim: "c", verdict: "approved" }, what: "an approved claim" },
    { input: { type: "verdict.given", claim: "c", verdict: "rejected" }, what: undefined },
    { input: { type: "tool.finished", tool: "Edit", outcome: "ok" }, what: "a change that landed" },
    { input: { type: "tool.finished", tool: "Edit", outcome: "error" }, what: undefined },
    {
      input: { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true, moved: false } },
      what: undefined,
    },
    {
      input: { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "pass" } } },
      what: "passing tests",
    },
    {
      input: { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "fail" } } },
      what: undefined,
    },
    { input: { type: "progress.made", what: "a page was written" }, what: "a page was written" },
  ])("$input.type makes this progress: $what", ({ input, what }) => {
    const { run } = loggedRun();
    expect(run.record(input)).toBe(true);
    expect(run.view.lastProgress?.what).toBe(what);
  });
});

describe("calls", () => {
  it("a result without arguments is interpreted with those of its request", () => {
    const { run, of } = loggedRun();
    const { call } = run.beforeTool({ tool: "Read", input: { file_path: "a.ts" } });
    expect(run.view.pending.get(call)?.input).toEqual({ file_path: "a.ts" });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    expect(of("tool.finished")[0]).toMatchObject({ tool: "Read", meaning: { targets: ["a.ts"] } });
  });

  it("a result without a request has its place in the batch of its turn", () => {
    const { run, of } = loggedRun();
    run.beforeTurn();
    for (const tool of ["Read", "Grep", "Read"]) run.record({ type: "tool.finished", tool, outcome: "ok" });
    run.beforeTurn();
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    expect(of("tool.finished").map(({ index }) => index)).toEqual([0, 1, 2, 0]);
  });

  it("a result that arrives while a turn waits for the model makes the next question a new one", () => {
    const { run } = loggedRun();
    const { call } = run.beforeTool({ tool: "Read" });
    const { turn } = run.beforeTurn();
    expect(run.beforeTurn().turn).toBe(turn);
    run.record({ type: "tool.finished", call, outcome: "ok" });
    expect(run.beforeTurn().turn).toBe(turn + 1);
  });
});

describe("commands", () => {
  it("resuming a run that is not suspended changes nothing; an open question stays open", () => {
    const { run } = loggedRun();
    const { turn } = run.beforeTurn();
    run.record({ type: "move.requested", do: "resume", by: "user" });
    expect(run.view.status).toBe("running");
    expect(run.beforeTurn().turn).toBe(turn);
  });

  it("only a waiver waives", () => {
    const gate = definePolicy({ name: "tests", decide: { "finish.requested": () => veto("No tests.") } });
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [] } } });
    const { run, of } = loggedRun({ graph, mode: "gate", policies: [gate] });
    run.record({ type: "move.requested", do: "skip", to: "b", by: "user", why: "not needed", gate: "tests" });
    expect(run.beforeFinish().accept).toBe(false);
    run.waive("tests", { by: "user", why: "no tests here" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false, unmet: [] });
    expect(of("finish.vetoed").map(({ held }) => held)).toEqual([undefined, "waived"]);
  });
});
