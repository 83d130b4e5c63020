import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { definePhaseGraph, phaseSpec } from "../graph/phase-graph.ts";
import { describePolicy } from "../testing.ts";
import { phaseGuidance, renderGuidance } from "./phase-guidance.ts";

const graph = definePhaseGraph({
  initial: "chat",
  phases: {
    chat: { next: ["plan", "quiet"], guidance: { default: "Talk first.", pm: "Ask what they need.", mute: "" } },
    plan: {
      next: ["chat"],
      guidance: "Write the plan.",
      constraints: ["no code", "no promises"],
      notes: ["the repo is read-only"],
    },
    quiet: { next: ["chat"], purpose: "nothing is said here" },
  },
});

const heard = (
  run: ReturnType<typeof loggedRun<"chat" | "plan" | "quiet">>["run"],
  agent?: string,
): readonly string[] => {
  const { nudges } = run.beforeTurn(agent === undefined ? {} : { agent });
  run.record({ type: "model.answered" });
  return nudges.map(({ text }) => text);
};

describe("phaseGuidance", () => {
  it("phaseGuidance nudges on entry and on change, per agent, and never again", () => {
    const { run } = loggedRun({ graph });
    expect(heard(run, "pm")).toEqual(['You are in the phase "chat".\nAsk what they need.']);
    expect(heard(run, "pm")).toEqual([]);
    expect(heard(run, "dev")).toEqual(['You are in the phase "chat".\nTalk first.']);
    expect(heard(run, "dev")).toEqual([]);
    run.transition("plan");
    expect(heard(run, "pm")).toEqual([
      'The phase changed from "chat" to "plan".\nWrite the plan.\n' +
        "- no code\n- no promises\nNote: the repo is read-only",
    ]);
    expect(heard(run, "pm")).toEqual([]);
    run.transition("chat");
    expect(heard(run, "pm")).toEqual(['The phase changed from "plan" to "chat".\nAsk what they need.']);
  });

  it("phaseGuidance without an agent sends the default", () => {
    const { run } = loggedRun({ graph });
    expect(heard(run)).toEqual(['You are in the phase "chat".\nTalk first.']);
    expect(heard(run)).toEqual([]);
  });

  it("phaseGuidance sends nothing in a phase without guidance, constraints or notes", () => {
    const { run } = loggedRun({ graph });
    heard(run, "pm");
    run.transition("quiet");
    expect(heard(run, "pm")).toEqual([]);
  });

  it("phaseGuidance comes with the graph automatically; the user's own replaces it", () => {
    const { run, of } = loggedRun({ graph, policies: [phaseGuidance({ except: ["router"] })] });
    expect(of("run.started")[0]?.policies).toEqual([{ name: "phase-guidance" }]);
    expect(heard(run, "router")).toEqual([]);
    expect(heard(run, "pm")).toHaveLength(1);
  });

  it("phaseGuidance sends the text of its option, or nothing", () => {
    const { run } = loggedRun({
      graph,
      policies: [
        phaseGuidance({
          render: (_phase, { name, agent, previous }) =>
            name === "plan" ? undefined : `${name}|${String(agent)}|${String(previous)}`,
        }),
      ],
    });
    expect(heard(run, "pm")).toEqual(["chat|pm|undefined"]);
    run.transition("plan");
    expect(heard(run, "pm")).toEqual([]);
  });

  it("phaseGuidance is guidance: other nudges do not hold it back, and it is not settled", () => {
    const { run, of } = loggedRun({ graph, nudges: { perEntry: 0 } });
    expect(heard(run, "pm")).toHaveLength(1);
    heard(run, "pm");
    expect(of("nudge.sent")[0]).toMatchObject({ guidance: true, episode: "chat#1@pm" });
    expect(of("nudge.settled")).toEqual([]);
  });

  it("an agent named like a member of every object gets the default", () => {
    const chat = phaseSpec(graph, "chat");
    expect(renderGuidance(chat ?? { next: [] }, { name: "chat", agent: "constructor" })).toBe(
      'You are in the phase "chat".\nTalk first.',
    );
  });
});

// From shared/cases/seed_cases.json (tenex, reminder.entry).
describe("seed cases reminder.entry", () => {
  const play = (agent: string, phases: readonly ("chat" | "plan")[], except: readonly string[] = []) => {
    const { run } = loggedRun({ graph, policies: [phaseGuidance({ except })] });
    return phases.map((phase) => {
      if (phase !== run.view.phase) run.transition(phase);
      return heard(run, agent).map((text) => text.split("\n")[0]);
    });
  };
  const CURRENT = 'You are in the phase "chat".';
  const CHANGE = 'The phase changed from "chat" to "plan".';

  it.each([
    { name: "phase guidance is injected when an agent first joins", agent: "pm", phases: ["chat"], told: [[CURRENT]] },
    {
      name: "staying in the same phase injects nothing more",
      agent: "pm",
      phases: ["chat", "chat"],
      told: [[CURRENT], []],
    },
    {
      name: "moving to a new phase injects a transition notice naming both phases",
      agent: "pm",
      phases: ["chat", "plan"],
      told: [[CURRENT], [CHANGE]],
    },
    {
      name: "the last phase seen is remembered per agent",
      agent: "pm",
      phases: ["chat", "plan", "plan"],
      told: [[CURRENT], [CHANGE], []],
    },
    { name: "the routing agent gets no phase guidance", agent: "orchestrator", phases: ["chat"], told: [[]] },
  ] as const)("$name", ({ agent, phases, told }) => {
    expect(play(agent, phases, ["orchestrator"])).toEqual(told);
  });
});

describePolicy(() => phaseGuidance(), {
  describe,
  it,
  graph,
  events: [
    { type: "turn.started", agent: "pm" },
    { type: "turn.started", agent: "pm" },
    { type: "turn.started" },
    { type: "move.requested", do: "transition", to: "plan", by: "user" },
    { type: "turn.started", agent: "pm" },
  ],
});
