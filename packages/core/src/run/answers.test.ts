import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import { nudge, refuse, review, stop, veto } from "../policies/decision.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import type { NewEvent } from "../events/run-event.ts";
import { definePolicy, type Policy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import type { RunPort } from "./run.ts";

const graph = definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["code"], tools: { deny: ["Edit"] }, model: "fast" }, code: { next: [] } },
});

const talker = (): Policy =>
  definePolicy({
    name: "talker",
    decide: { "turn.started": (run) => nudge(`turn ${String(run.turn)}`, { episode: `t${String(run.turn)}` }) },
  });
const noShell = (): Policy =>
  definePolicy({
    name: "no-shell",
    decide: { "tool.requested": (_run, _state, { tool }) => (tool === "Bash" ? refuse("No shell here.") : undefined) },
  });
const stopper = (how: "wrap-up" | "halt" | "abort", text?: string): Policy =>
  definePolicy({
    name: "stopper",
    decide: { "progress.made": () => stop({ how, ...(text !== undefined && { text }) }) },
  });

describe("beforeTurn", () => {
  it("beforeTurn returns an empty answer when no policy has a nudge", () => {
    const { run, log } = loggedRun();
    expect(run.beforeTurn()).toEqual({
      turn: 1,
      nudges: [],
      message: undefined,
      tools: undefined,
      model: undefined,
      review: undefined,
      wrapUp: false,
      stop: undefined,
    });
    expect(log.map(({ type }) => type)).toEqual(["run.started", "turn.started"]);
  });

  it("beforeTurn returns the phase's tools and model, and the nudges as one message", () => {
    const { run } = loggedRun({
      graph,
      policies: [talker(), definePolicy({ name: "other", decide: { "turn.started": () => nudge("and this") } })],
      nudges: { cooldownTurns: 0 },
      mode: "gate",
    });
    const answer = run.beforeTurn({ agent: "dev", prompt: "do it", at: 2000 });
    expect(answer).toMatchObject({ turn: 1, tools: { deny: ["Edit"] }, model: "fast" });
    expect(answer.nudges.map(({ policy, text, applied }) => [policy, text, applied])).toEqual([
      ["talker", "turn 1", true],
      ["other", "and this", true],
    ]);
    expect(answer.message).toMatchInlineSnapshot(`
      "<phasekit>
      turn 1

      and this
      </phasekit>"
    `);
    run.transition("code");
    expect(run.beforeTurn()).toMatchObject({ tools: undefined, model: undefined });
  });

  it.each([
    { mode: "observe", tools: undefined, model: undefined },
    { mode: "nudge", tools: undefined, model: "fast" },
    { mode: "gate", tools: { deny: ["Edit"] }, model: "fast" },
  ] as const)("beforeTurn in mode $mode changes no more than the mode may", ({ mode, tools, model }) => {
    const answer = loggedRun({ graph, mode }).run.beforeTurn();
    expect([answer.tools, answer.model]).toEqual([tools, model]);
  });

  it("beforeTurn gives the same answer when asked again before anything happened", () => {
    const { run, log } = loggedRun({ policies: [talker()] });
    const first = run.beforeTurn();
    const { length } = log;
    expect(run.beforeTurn()).toEqual(first);
    expect(run.beforeTurn({ prompt: "x" })).toEqual(first);
    expect(log).toHaveLength(length);
  });

  it("beforeTurn gives the same answer after the log was replayed", () => {
    const { run, log } = loggedRun({ policies: [talker()] });
    const first = run.beforeTurn({ agent: "dev" });
    const { run: again } = replayRun(stored(log), { policies: [talker()] });
    expect(again.beforeTurn({ agent: "dev" })).toEqual(first);
    expect(again.view.seq).toBe(run.view.seq);
  });

  it.each([
    ["the model answered", { type: "model.answered" }, 2],
    ["a tool was asked for", { type: "tool.requested", tool: "Read" }, 2],
    ["a tool gave its result", { type: "tool.finished", tool: "Read", outcome: "ok" }, 2],
    ["the agent said something", { type: "message.sent", text: "hi" }, 2],
    ["somebody said something", { type: "message.received", text: "hi" }, 2],
    ["the agent wanted to finish", { type: "finish.requested" }, 2],
    ["the model failed, which is asked again", { type: "model.failed", status: 500 }, 1],
    ["the clock ticked", { type: "clock.ticked" }, 1],
    ["a plan was declared", { type: "plan.declared" }, 1],
  ] as const)("beforeTurn opens a new turn or repeats the last one after %s", (_what, input, turn) => {
    const { run } = loggedRun();
    run.beforeTurn();
    run.record(input);
    expect(run.beforeTurn().turn).toBe(turn);
  });

  it("beforeTurn opens another turn when another agent asks", () => {
    const { run, of } = loggedRun();
    run.beforeTurn({ agent: "a" });
    expect(run.beforeTurn({ agent: "b" }).turn).toBe(2);
    expect(run.beforeTurn({ agent: "b" }).turn).toBe(2);
    expect(of("turn.started").map(({ agent }) => agent)).toEqual(["a", "b"]);
  });

  it.each(["halt", "abort"] as const)("beforeTurn after a stop with %s answers stop and starts no turn", (how) => {
    const { run, of } = loggedRun({ policies: [stopper(how, "Enough.")] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    run.record({ type: "progress.made", what: "x" });
    const answer = run.beforeTurn();
    expect(answer).toMatchObject({
      turn: 1,
      stop: { reason: "policy_stop", how, text: "Enough." },
      wrapUp: false,
      message: undefined,
    });
    expect(of("turn.started")).toHaveLength(1);
  });

  it("beforeTurn after a stop that wraps up gives one closing turn without tools, then stops", () => {
    const { run, of } = loggedRun({ policies: [stopper("wrap-up", "Say where you are.")] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    run.record({ type: "progress.made", what: "x" });
    const closing = run.beforeTurn();
    expect(closing).toMatchObject({ turn: 2, wrapUp: true, stop: undefined });
    expect(closing.message).toBe("<phasekit>\nSay where you are.\n</phasekit>");
    expect(run.beforeTurn()).toEqual(closing);
    expect(run.beforeTool({ call: "c", tool: "Read" })).toMatchObject({ allow: false });
    expect(run.beforeTurn()).toMatchObject({ turn: 2, wrapUp: false, stop: { reason: "policy_stop", how: "wrap-up" } });
    expect(of("turn.started")).toHaveLength(2);
  });

  it("a stop while a turn begins makes it the closing turn, with a default text when the policy has none", () => {
    const { run } = loggedRun({
      policies: [definePolicy({ name: "s", decide: { "turn.started": () => stop({ how: "wrap-up" }) } })],
    });
    expect(run.beforeTurn()).toMatchObject({
      turn: 1,
      wrapUp: true,
      message:
        "<phasekit>\nThis is the last turn. Use no tools; say what is done, what is not, " +
        "and what should happen next.\n</phasekit>",
    });
  });

  it("beforeTurn while suspended and after the end answers stop, with no nudges and no new turn", () => {
    const { run, of } = loggedRun({ policies: [talker()] });
    run.beforeTurn();
    run.suspend();
    expect(run.beforeTurn({ agent: "new" })).toMatchObject({
      stop: { reason: "suspended", how: "halt" },
      nudges: [],
      message: undefined,
    });
    run.resume();
    expect(run.beforeTurn()).toMatchObject({ stop: undefined, turn: 2 });
    run.end({ reason: "cancelled" });
    expect(run.beforeTurn()).toMatchObject({ stop: { reason: "cancelled", how: "halt" }, nudges: [] });
    expect(of("turn.started")).toHaveLength(2);
  });

  it("beforeTurn names the review the host has to wait for, until it is answered", () => {
    const { run } = loggedRun({
      policies: [
        definePolicy({
          name: "r",
          decide: {
            "turn.started": (view) => (view.turn === 1 ? review({ kind: "budget", text: "Go on?" }) : undefined),
          },
        }),
      ],
    });
    expect(run.beforeTurn().review).toEqual({ review: "r:1", kind: "budget", text: "Go on?", by: "r", applied: true });
    run.record({ type: "model.answered" });
    expect(run.beforeTurn().review?.review).toBe("r:1");
    expect(run.record({ type: "review.finished", review: "r:1", verdict: "approve" })).toBe(true);
    expect(run.beforeTurn().review).toBeUndefined();
  });

  it("beforeTurn does not make the host wait for a review that its mode does not apply", () => {
    const asks = (onlyInGate: boolean): Policy =>
      definePolicy({ name: "r", decide: { "turn.started": () => review({ kind: "k", text: "?", onlyInGate }) } });
    expect(loggedRun({ mode: "observe", policies: [asks(false)] }).run.beforeTurn().review).toBeUndefined();
    expect(loggedRun({ mode: "nudge", policies: [asks(true)] }).run.beforeTurn().review).toBeUndefined();
    expect(loggedRun({ mode: "nudge", policies: [asks(false)] }).run.beforeTurn().review).toBeDefined();
    expect(loggedRun({ mode: "gate", policies: [asks(true)] }).run.beforeTurn().review).toBeDefined();
  });
});

describe("a review", () => {
  it("a review is requested once per episode, also while it is open and after it was answered", () => {
    const asks = definePolicy({
      name: "r",
      decide: { "turn.started": (run) => review({ kind: "k", text: "?", episode: run.turn < 4 ? "one" : "two" }) },
    });
    const { run, of } = loggedRun({ policies: [asks] });
    run.record({ type: "turn.started" });
    run.record({ type: "turn.started" });
    run.record({ type: "review.finished", review: "r:1", verdict: "needs-changes", feedback: "x" });
    run.record({ type: "turn.started" });
    expect(of("review.requested")).toHaveLength(1);
    run.record({ type: "turn.started" });
    expect(of("review.requested").map(({ review: id, episode }) => [id, episode])).toEqual([
      ["r:1", "one"],
      ["r:2", "two"],
    ]);
  });

  it("a review without an episode is requested once per phase entry, and its answer is progress", () => {
    const { run, of } = loggedRun({
      graph,
      policies: [definePolicy({ name: "r", decide: { "turn.started": () => review({ kind: "k", text: "?" }) } })],
    });
    run.record({ type: "turn.started" });
    run.record({ type: "turn.started" });
    run.transition("code");
    run.record({ type: "turn.started" });
    expect(of("review.requested").map(({ episode }) => episode)).toEqual(["plan#1", "code#1"]);
    run.record({ type: "review.finished", review: "r:1", verdict: "approve" });
    expect(run.view.lastProgress).toMatchObject({ what: "a review" });
    expect([...run.view.reviews.keys()]).toEqual(["r:2"]);
  });
});

describe("beforeTool", () => {
  it.each([
    { mode: "observe", allow: true },
    { mode: "nudge", allow: true },
    { mode: "gate", allow: false },
  ] as const)(
    "beforeTool in mode $mode allows a refused call: $allow; the refusal is recorded either way",
    ({ mode, allow }) => {
      const { run, of } = loggedRun({ mode, policies: [noShell()] });
      run.beforeTurn();
      const answer = run.beforeTool({ call: "c1", tool: "Bash", input: { command: "ls" } });
      expect(answer).toEqual(
        allow ? { allow: true, call: "c1" } : { allow: false, call: "c1", text: "No shell here." },
      );
      expect(of("tool.refused")).toMatchObject([
        { by: "no-shell", tool: "Bash", call: "c1", turn: 1, text: "No shell here.", applied: !allow },
      ]);
      expect(of("tool.finished")).toEqual([]);
    },
  );

  it("beforeTool gives the same answer for the same call of the same turn, also after a replay", () => {
    const { run, log } = loggedRun({ mode: "gate", policies: [noShell()] });
    run.beforeTurn();
    const refused = run.beforeTool({ call: "c1", tool: "Bash" });
    const allowed = run.beforeTool({ call: "c2", tool: "Read" });
    const { length } = log;
    expect(run.beforeTool({ call: "c1", tool: "Bash" })).toEqual(refused);
    expect(run.beforeTool({ call: "c2", tool: "Read" })).toEqual(allowed);
    expect(log).toHaveLength(length);
    const { run: again } = replayRun(stored(log), { mode: "gate", policies: [noShell()] });
    expect(again.beforeTool({ call: "c1", tool: "Bash" })).toEqual(refused);
    expect(again.view.seq).toBe(length);
  });

  it("beforeTool asks a new question in another turn, or after the call's result", () => {
    const { run, of } = loggedRun();
    run.beforeTurn();
    run.beforeTool({ call: "c1", tool: "Read" });
    run.record({ type: "model.answered" });
    run.beforeTurn();
    run.beforeTool({ call: "c1", tool: "Read" });
    run.record({ type: "tool.finished", call: "c1", outcome: "ok" });
    run.beforeTool({ call: "c1", tool: "Read" });
    expect(of("tool.requested").map(({ turn }) => turn)).toEqual([1, 2, 2]);
  });

  it("beforeTool gives a call without an id one of its own, and the refusal names it", () => {
    const { run } = loggedRun({ mode: "gate", policies: [noShell()] });
    run.beforeTurn();
    expect(run.beforeTool({ tool: "Read" })).toEqual({ allow: true, call: "call-1" });
    expect(run.beforeTool({ tool: "Bash" })).toEqual({ allow: false, call: "call-2", text: "No shell here." });
    expect(run.beforeTool({ call: "", tool: "Bash" })).toEqual({
      allow: false,
      call: "call-3",
      text: "No shell here.",
    });
  });

  it("beforeTool refuses a call whose id is very long", () => {
    const { run } = loggedRun({ mode: "gate", policies: [noShell()] });
    run.beforeTurn();
    const call = `${"x".repeat(300)}1`;
    expect(run.beforeTool({ call, tool: "Bash" })).toMatchObject({ allow: false });
    expect(run.beforeTool({ call: `${"x".repeat(300)}2`, tool: "Read" })).toMatchObject({ allow: true });
    expect(run.beforeTool({ call, tool: "Bash" })).toMatchObject({ allow: false });
    expect(run.view.pending.size).toBe(2);
  });

  it("a refused call is forgotten with the next turn; a running call is not", () => {
    const { run } = loggedRun({ mode: "gate", policies: [noShell()] });
    run.beforeTurn();
    run.beforeTool({ call: "c1", tool: "Bash" });
    run.beforeTool({ call: "c2", tool: "Read" });
    run.beforeTurn();
    expect([...run.view.pending.keys()]).toEqual(["c2"]);
  });

  it("all requests of a turn see the state before its results", () => {
    const seen: number[] = [];
    const { run } = loggedRun({
      policies: [
        definePolicy({
          name: "p",
          decide: {
            "tool.requested": (view) => {
              seen.push(view.entry.toolErrors);
              return undefined;
            },
          },
        }),
      ],
    });
    run.beforeTurn();
    run.beforeTool({ call: "a", tool: "Read" });
    run.beforeTool({ call: "b", tool: "Read" });
    run.record({ type: "tool.finished", call: "a", outcome: "error" });
    expect(seen).toEqual([0, 0]);
    expect([...run.view.pending.values()].map(({ call, index }) => [call, index])).toEqual([["b", 1]]);
  });

  it("beforeTool while suspended or ended allows nothing and records nothing", () => {
    const { run, of } = loggedRun();
    run.beforeTurn();
    run.suspend();
    expect(run.beforeTool({ call: "c", tool: "Read" })).toEqual({
      allow: false,
      call: "c",
      text: "The run is suspended; no more tools are used.",
    });
    expect(run.beforeTool({ tool: "Read" })).toMatchObject({ allow: false, call: "call-1" });
    run.resume();
    run.end();
    expect(run.beforeTool({ call: "c", tool: "Read" })).toEqual({
      allow: false,
      call: "c",
      text: "The run is ended; no more tools are used.",
    });
    expect(of("tool.requested")).toEqual([]);
  });

  it("a call that cannot be recorded is left to the host, and the log says so", () => {
    const { run, of } = loggedRun({ mode: "gate" });
    run.beforeTurn();
    expect(run.beforeTool({ call: "c", tool: "" })).toEqual({ allow: true, call: "c" });
    expect(run.beforeTool({ call: "c", tool: 3 as never })).toEqual({ allow: true, call: "c" });
    expect(of("event.rejected").map(({ issues }) => issues[0]?.path)).toEqual(["tool", "tool"]);
    expect(of("tool.requested")).toEqual([]);
  });
});

describe("a host that reports only work", () => {
  it.each<NewEvent>([
    { type: "validation.failed", path: "input.name" },
    { type: "check.finished", check: "compile", outcome: "failure" },
    { type: "output.produced", counts: { files: 1 } },
    { type: "operation.finished", name: "a", outcome: "success" },
    { type: "question.asked", question: "Which one?" },
    { type: "claim.submitted", claim: "c1" },
  ])("a host that reports $type gets a new turn", (event) => {
    const { run } = loggedRun();
    expect(run.beforeTurn().turn).toBe(1);
    run.record(event);
    expect(run.beforeTurn().turn).toBe(2);
  });
});

describe("beforeFinish", () => {
  const gate = (): Policy =>
    definePolicy({ name: "tests", decide: { "finish.requested": () => veto("Run the tests.") } });

  it("beforeFinish accepts when no gate objects, unverified when none vouched", () => {
    const { run, log } = loggedRun();
    expect(run.beforeFinish()).toEqual({
      accept: true,
      verified: false,
      evidence: { grade: "claimed", why: "No gate shows that the work is right.", gates: [] },
      unmet: [],
    });
    expect(log.at(-1)?.type).toBe("finish.requested");
  });

  it.each([
    { mode: "observe", tools: undefined, model: undefined },
    { mode: "nudge", tools: undefined, model: "fast" },
    { mode: "gate", tools: { deny: ["Edit"] }, model: "fast" },
  ] as const)("beforeFinish in mode $mode changes no more than the mode may", ({ mode, tools, model }) => {
    const answer = loggedRun({ graph, mode }).run.beforeTurn();
    expect([answer.tools, answer.model]).toEqual([tools, model]);
  });

  it("beforeFinish gives the same answer when asked again, also after a replay", () => {
    const { run, log } = loggedRun({ mode: "gate", policies: [gate()] });
    run.beforeTurn();
    const first = run.beforeFinish({ text: "done" });
    expect(first).toMatchObject({ accept: false, text: "<phasekit>\nRun the tests.\n</phasekit>" });
    const { length } = log;
    expect(run.beforeFinish()).toEqual(first);
    expect(log).toHaveLength(length);
    const { run: again } = replayRun(stored(log), { mode: "gate", policies: [gate()] });
    expect(again.beforeFinish()).toEqual(first);
    expect(again.view.seq).toBe(length);
  });

  it("beforeFinish joins the texts of all gates that object", () => {
    const other = definePolicy({ name: "lint", decide: { "finish.requested": () => veto("Run the linter.") } });
    const { run } = loggedRun({ mode: "gate", policies: [gate(), other] });
    expect(run.beforeFinish()).toMatchObject({
      accept: false,
      text: "<phasekit>\nRun the tests.\n\nRun the linter.\n</phasekit>",
    });
  });

  it("beforeFinish while suspended or ended asks no gate", () => {
    const { run, of } = loggedRun({ mode: "gate", policies: [gate()] });
    run.suspend();
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false });
    expect(of("finish.requested")).toEqual([]);
    run.resume();
    run.end({ reason: "cancelled" });
    expect(run.beforeFinish()).toMatchObject({ accept: true });
    expect(of("finish.requested")).toEqual([]);
  });
});

describe("questions from inside a policy", () => {
  it.each(["beforeTurn", "beforeTool", "beforeFinish", "end", "tick"] as const)(
    "run.%s() called inside a policy fails the policy, not the run",
    (method) => {
      const holder: { run?: { readonly [K in typeof method]: (argument: never) => unknown } } = {};
      const meddler = definePolicy({
        name: "meddler",
        decide: {
          "progress.made": () => {
            holder.run?.[method]({ tool: "Read" } as never);
            return undefined;
          },
        },
      });
      const { run, of, typesFrom } = loggedRun({ policies: [meddler] });
      holder.run = run;
      expect(run.record({ type: "progress.made", what: "x" })).toBe(true);
      expect(of("policy.failed")).toMatchObject([
        {
          policy: "meddler",
          during: "decide",
          message: `PhasekitError: A policy called run.${method}() while the run was deciding.`,
        },
      ]);
      expect(typesFrom(2)).toEqual(["progress.made", "policy.failed"]);
      expect(run.view.status).toBe("running");
    },
  );

  it("an event recorded inside a policy waits until the step is over", () => {
    const holder: { run?: RunPort } = {};
    const chatty = definePolicy({
      name: "chatty",
      decide: {
        "progress.made": () => {
          holder.run?.record({ type: "plan.declared" });
          return stop();
        },
      },
    });
    const { run, typesFrom } = loggedRun({ policies: [chatty] });
    holder.run = run;
    run.record({ type: "progress.made", what: "x" });
    expect(typesFrom(2)).toEqual(["progress.made", "stop.requested", "plan.declared"]);
  });
});
