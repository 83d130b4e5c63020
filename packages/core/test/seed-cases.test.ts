import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../src/__fixtures__/logged-run.ts";
import { edgesFrom } from "../src/graph/phase-graph.ts";
import { definePolicy } from "../src/policies/policy.ts";
import { codingPhases } from "../src/graph/presets/coding-phases.ts";
import { conversationPhases } from "../src/graph/presets/conversation-phases.ts";
import { deliveryPhases } from "../src/graph/presets/delivery-phases.ts";
import { replayRun } from "../src/log/replay-run.ts";
import { defineState } from "../src/view/run-view.ts";

// The cases of shared/cases/seed_cases.json that concern graphs, in our words. `differs` says where we deliberately do
// otherwise, and why. Those on budgets, nudges and guidance stand beside their policies.

type Coding = keyof typeof codingPhases.phases;
type Talk = keyof typeof conversationPhases.phases;

/** A coding run that has been through these phases. */
function coding(visited: readonly Coding[] = []) {
  const logged = loggedRun({ graph: codingPhases });
  for (const phase of visited) expect(logged.run.transition(phase)).toBe(true);
  return logged;
}

const PATHS: Readonly<Record<Talk, readonly Talk[]>> = {
  chat: [],
  brainstorm: ["brainstorm"],
  plan: ["plan"],
  execute: ["execute"],
  verification: ["execute", "verification"],
  chores: ["execute", "verification", "chores"],
  reflection: ["execute", "verification", "chores", "reflection"],
};

/** A conversation that stands in one phase, reached along valid moves. */
function talk(start: Talk, policies: Parameters<typeof loggedRun<Talk>>[0] = {}) {
  const logged = loggedRun({ graph: conversationPhases, ...policies });
  for (const phase of PATHS[start]) expect(logged.run.transition(phase)).toBe(true);
  return logged;
}

describe("graph.transition (attocode)", () => {
  it.each<{ name: string; visited: readonly Coding[]; to: Coding; accepted: boolean; phase: Coding }>([
    {
      name: "verifying to acting is allowed",
      visited: ["acting", "verifying"],
      to: "acting",
      accepted: true,
      phase: "acting",
    },
    { name: "exploring to verifying is refused", visited: [], to: "verifying", accepted: false, phase: "exploring" },
    {
      name: "acting to exploring is allowed",
      visited: ["acting"],
      to: "exploring",
      accepted: true,
      phase: "exploring",
    },
    { name: "exploring to planning is allowed", visited: [], to: "planning", accepted: true, phase: "planning" },
    { name: "planning to acting is allowed", visited: ["planning"], to: "acting", accepted: true, phase: "acting" },
    {
      name: "asking for the current phase is refused and changes nothing",
      visited: [],
      to: "exploring",
      accepted: false,
      phase: "exploring",
    },
  ])("$name", ({ visited, to, accepted, phase }) => {
    const { run } = coding(visited);
    expect(run.transition(to)).toBe(accepted);
    expect(run.view.phase).toBe(phase);
  });
});

describe("graph.events (attocode)", () => {
  it.each<{ name: string; to: Coding; events: readonly object[]; differs?: string }>([
    {
      name: "accepted transition emits one change record with from, to and reason",
      to: "acting",
      events: [{ type: "phase.transition", from: "exploring", to: "acting", reason: "First edit" }],
    },
    { name: "asking for the current phase emits nothing", to: "exploring", events: [] },
    {
      name: "refused transition emits nothing",
      to: "verifying",
      events: [{ type: "phase.refused", from: "exploring", to: "verifying", actor: "user" }],
      differs:
        "They say nothing. We record a refusal once per mover, move and entry, because a log must show " +
        "what was tried; it changes nothing.",
    },
  ])("$name", ({ to, events }) => {
    const { run, log } = coding();
    run.transition(to, { why: "First edit" });
    expect(log.slice(2)).toMatchObject(events);
    expect(log.slice(2)).toHaveLength(events.length);
  });
});

describe("graph.metrics (attocode)", () => {
  it("three transitions are kept in order", () => {
    const { run } = coding(["acting", "verifying", "acting"]);
    expect(run.view.transitions.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: "exploring", to: "acting" },
      { from: "acting", to: "verifying" },
      { from: "verifying", to: "acting" },
    ]);
  });
});

describe("graph.record and graph.persist (tenex)", () => {
  it("a transition record keeps both ends, the full message, who did it, why and when", () => {
    const { run } = talk("chat");
    run.transition("plan", {
      by: "agent",
      agent: "pm-1",
      name: "PM Agent",
      message: "requirements list",
      why: "requirements gathered",
    });
    expect(run.view.phase).toBe("plan");
    expect(run.view.transitions).toMatchObject([
      {
        from: "chat",
        to: "plan",
        message: "requirements list",
        name: "PM Agent",
        agent: "pm-1",
        reason: "requirements gathered",
        at: 1000,
      },
    ]);
  });

  it("message text with markdown, code fences and quotes is stored unchanged", () => {
    const message = "# A\n```ts\nlet a='b';\n```\n\"q\" \\ `t`";
    const { run, log } = talk("chat");
    run.transition("plan", { message });
    const { run: again } = replayRun(stored(log), { graph: conversationPhases });
    expect(again.view.transitions[0]?.message).toBe(message);
  });

  it("a hand-off inside the same phase is recorded too", () => {
    // Differs: they write a record [chat, chat]. Ours is the request itself: no phase was left, so no entry ended.
    const { run, of } = talk("chat");
    run.transition("chat", { message: "still talking" });
    expect(run.view.phase).toBe("chat");
    expect(of("move.requested")).toMatchObject([{ do: "transition", to: "chat", message: "still talking" }]);
    expect(of("phase.transition")).toEqual([]);
  });

  it("every accepted transition is saved with its record", () => {
    const { run } = talk("chat");
    const saved: string[][] = [];
    run.subscribe((step) => saved.push(step.map(({ type }) => type)));
    run.transition("plan", { message: "go" });
    expect(saved.at(-1)).toEqual(["move.requested", "phase.transition"]);
  });
});

describe("graph.declared (tenex)", () => {
  it.each<{ phase: Talk; allowed: readonly Talk[]; refused: readonly Talk[] }>([
    { phase: "reflection", allowed: ["chat"], refused: ["brainstorm", "chores", "execute", "plan", "verification"] },
    { phase: "chores", allowed: ["reflection"], refused: ["brainstorm", "chat", "execute", "plan", "verification"] },
    { phase: "plan", allowed: ["execute"], refused: ["brainstorm", "chat", "chores", "reflection", "verification"] },
  ])("the declared exits of $phase are kept", ({ phase, allowed, refused }) => {
    for (const to of allowed) expect(talk(phase).run.transition(to), to).toBe(true);
    for (const to of refused) expect(talk(phase).run.transition(to), to).toBe(false);
  });
});

describe("graph.cleanup (tenex)", () => {
  const key = defineState<{ files: string[] }>("seed/read-files");
  const reads = definePolicy({
    name: "reads",
    key,
    resetOn: "fresh-phase",
    initial: (): { files: string[] } => ({ files: [] }),
    observe: {
      "tool.finished": (state, { meaning }) => {
        state.files.push(...(meaning.targets ?? []));
      },
    },
  });

  it("a move from reflection back to chat clears the per-cycle read list", () => {
    const { run } = talk("reflection", { policies: [reads] });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok", meaning: { targets: ["a.ts"] } });
    run.transition("chat");
    expect(run.view.read(key)).toEqual({ files: [] });
  });

  it("a move to chat in the middle of a cycle clears nothing", () => {
    const { run } = talk("execute", { policies: [reads] });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok", meaning: { targets: ["a.ts"] } });
    run.transition("chat");
    expect(run.view.read(key)).toEqual({ files: ["a.ts"] });
  });
});

describe("graph.suspend (maestro)", () => {
  it("any working phase may be suspended and remembers where it was", () => {
    // Differs: they move to a phase "suspended". Ours is a status of the run, so the phase need not be remembered
    // apart.
    const { run } = coding(["acting"]);
    run.suspend();
    expect(run.view).toMatchObject({ status: "suspended", phase: "acting" });
  });

  it("a restore signal returns to the remembered phase", () => {
    const { run } = coding(["acting"]);
    run.suspend();
    run.resume();
    expect(run.view).toMatchObject({ status: "running", phase: "acting", phaseEntry: "acting#1" });
  });

  it.each([
    { what: "timeout", reason: "interrupted" },
    { what: "cancelled", reason: "cancelled" },
  ])("$what ends a suspended run as $reason, which is not a success", ({ what, reason }) => {
    // Differs: "no_channel" and "no_origin" cannot happen here, where there is no channel and no phase to forget.
    const { run, of } = coding(["acting"]);
    run.suspend({ timeoutMs: 500 });
    if (what === "timeout") run.tick(9999);
    else run.end({ reason: "cancelled" });
    expect(of("run.finished")).toMatchObject([{ reason, outcome: "failed", verified: false }]);
  });
});

// Our names for theirs. What they have as phases and we as a status, an event or an end has none.
const DELIVERY: Readonly<Record<string, string>> = {
  setup: "setup",
  planning: "plan",
  plan_review: "plan-review",
  coding: "code",
  testing: "test",
  code_review: "code-review",
  budget_review: "budget-review",
  prepare_merge: "merge",
  await_merge: "merge",
};
const leads = (from: string, to: string): boolean =>
  edgesFrom(deliveryPhases, DELIVERY[from] ?? from).some((edge) => edge.to === (DELIVERY[to] ?? to));

describe("graph.allowed and graph.refused (maestro)", () => {
  it.each([
    ["setup", "planning"],
    ["setup", "coding"],
    ["planning", "plan_review"],
    ["planning", "budget_review"],
    ["plan_review", "coding"],
    ["coding", "testing"],
    ["coding", "code_review"],
    ["coding", "budget_review"],
    ["testing", "coding"],
    ["code_review", "prepare_merge"],
    ["budget_review", "planning"],
    ["budget_review", "coding"],
  ] as const)("declared coder edges are accepted: %s to %s", (from, to) => {
    expect(leads(from, to)).toBe(true);
  });

  it.each([
    { pair: ["waiting", "setup"], differs: "waiting for a story is before a run: a run starts in setup" },
    { pair: ["planning", "question"], differs: "a question is the event question.asked, in any phase" },
    { pair: ["question", "planning"], differs: "a question does not leave the phase, so nothing leads back" },
    { pair: ["budget_review", "error"], differs: 'giving up is run.end({ reason: "abandoned" })' },
    { pair: ["await_merge", "done"], differs: "done is the end of a run in the final phase merge" },
  ] as const)("$pair is not an edge of ours, because $differs", ({ pair: [from, to] }) => {
    expect(leads(from, to)).toBe(false);
    expect([from, to].some((name) => DELIVERY[name] === undefined)).toBe(true);
  });

  it.each([
    ["waiting", "coding"],
    ["waiting", "planning"],
    ["setup", "code_review"],
    ["planning", "testing"],
    ["testing", "await_merge"],
    ["testing", "done"],
    ["done", "setup"],
    ["error", "planning"],
    ["nonsense", "coding"],
    ["budget_review", "testing"],
  ] as const)("other edges are refused: %s to %s", (from, to) => {
    expect(leads(from, to)).toBe(false);
  });

  it("the agent that did the work does not approve it", () => {
    const { run } = loggedRun({ graph: deliveryPhases });
    for (const phase of ["plan", "plan-review"] as const) expect(run.transition(phase, { by: "agent" })).toBe(true);
    expect(run.transition("code", { by: "agent" })).toBe(false);
    expect(run.transition("code", { by: "judge" })).toBe(true);
  });
});
