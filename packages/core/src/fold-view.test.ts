import { describe, expect, it } from "vitest";
import { loggedRun } from "./__fixtures__/logged-run.ts";
import { veto } from "./decision.ts";
import type { NewFact } from "./facts/run-event.ts";
import { definePhaseGraph } from "./phase-graph.ts";
import { definePolicy } from "./policy.ts";

describe("progress", () => {
  it.each<{ readonly fact: NewFact; readonly what: string | undefined }>([
    { fact: { type: "message.received", text: "Go on." }, what: "a message to the agent" },
    { fact: { type: "verdict.given", claim: "c", verdict: "approved" }, what: "an approved claim" },
    { fact: { type: "verdict.given", claim: "c", verdict: "rejected" }, what: undefined },
    { fact: { type: "tool.finished", tool: "Edit", outcome: "ok" }, what: "a change that landed" },
    { fact: { type: "tool.finished", tool: "Edit", outcome: "error" }, what: undefined },
    { fact: { type: "tool.finished", tool: "Edit", outcome: "ok", meaning: { mutates: true, moved: false } }, what: undefined },
    { fact: { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "pass" } } }, what: "passing tests" },
    { fact: { type: "tool.finished", tool: "Bash", outcome: "ok", meaning: { tests: { verdict: "fail" } } }, what: undefined },
    { fact: { type: "progress.made", what: "a page was written" }, what: "a page was written" },
  ])("$fact.type → $what", ({ fact, what }) => {
    const { run } = loggedRun();
    expect(run.record(fact)).toBe(true);
    expect(run.view.lastProgress?.what).toBe(what);
  });
});

describe("calls", () => {
  it("a result without arguments is understood by those of its request", () => {
    const { run, of } = loggedRun();
    const { call } = run.beforeTool({ tool: "Read", input: { file_path: "a.ts" } });
    expect(run.view.pending.get(call)?.input).toEqual({ file_path: "a.ts" });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "" });
    expect(of("tool.finished")[0]).toMatchObject({ tool: "Read", meaning: { targets: ["a.ts"] } });
  });

  it("results without requests have their places in the batch of their turn", () => {
    const { run, of } = loggedRun();
    run.beforeTurn();
    for (const tool of ["Read", "Grep", "Read"]) run.record({ type: "tool.finished", tool, outcome: "ok" });
    run.beforeTurn();
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    expect(of("tool.finished").map(({ index }) => index)).toEqual([0, 1, 2, 0]);
  });

  it("a result that comes while a turn waits for the model makes the next question a new one", () => {
    const { run } = loggedRun();
    const { call } = run.beforeTool({ tool: "Read" });
    const { turn } = run.beforeTurn();
    expect(run.beforeTurn().turn).toBe(turn);
    run.record({ type: "tool.finished", call, outcome: "ok" });
    expect(run.beforeTurn().turn).toBe(turn + 1);
  });
});

describe("commands", () => {
  it("resuming what is not suspended changes nothing; an open question stays open", () => {
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
    expect(run.beforeFinish()).toEqual({ accept: true, verified: false, unmet: [] });
    expect(of("finish.vetoed").map(({ held }) => held)).toEqual([undefined, "waived"]);
  });
});
