import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import { edgesFrom, type PhaseSpec } from "../phase-graph.ts";
import { conversationPhases } from "./conversation-phases.ts";

const phases: readonly (readonly [string, PhaseSpec])[] = Object.entries(conversationPhases.phases);
const names = phases.map(([name]) => name);

describe("conversationPhases", () => {
  it("conversationPhases has no issues", () => {
    expect(checkGraph(conversationPhases)).toEqual([]);
    expect(names).toEqual(["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"]);
    expect(conversationPhases.initial).toBe("chat");
  });

  it.each([
    ["chat", ["execute", "plan", "brainstorm"]],
    ["brainstorm", ["chat", "plan", "execute"]],
    ["plan", ["execute"]],
    ["execute", ["verification", "chat"]],
    ["verification", ["chores", "execute", "chat"]],
    ["chores", ["reflection"]],
    ["reflection", ["chat"]],
  ])("%s leads to %j and nowhere else", (from, allowed) => {
    expect(edgesFrom(conversationPhases, from).map(({ to }) => to)).toEqual(allowed);
  });

  it.each([
    ["chat", ["project-manager"]],
    ["brainstorm", ["project-manager", "domain experts"]],
    ["plan", ["planner"]],
    ["execute", ["executor"]],
    ["verification", ["executor", "project-manager"]],
    ["chores", ["executor"]],
    ["reflection", ["every agent that took part"]],
  ])("%s is the work of %j and fully described", (name, agents) => {
    const phase = Object.fromEntries(phases)[name];
    expect(phase?.agents).toEqual(agents);
    expect(phase?.purpose).not.toBe("");
    for (const list of [phase?.entry, phase?.exit]) expect(list?.length).toBeGreaterThanOrEqual(1);
    for (const list of [phase?.work, phase?.constraints]) expect(list?.length).toBeGreaterThanOrEqual(3);
  });

  it("conversationPhases owes verification after execute, chores after verification, reflection after chores", () => {
    expect(conversationPhases.required).toEqual([
      { after: "execute", visit: "verification", before: "end" },
      { after: "verification", visit: "chores", before: "end", when: "completed" },
      { after: "chores", visit: "reflection", before: "end" },
    ]);
  });

  it("conversationPhases starts a new cycle from reflection to chat, and by no other move", () => {
    const fresh = names.flatMap((from) =>
      edgesFrom(conversationPhases, from)
        .filter((edge) => edge.fresh)
        .map(({ to }) => [from, to]),
    );
    expect(fresh).toEqual([["reflection", "chat"]]);
    expect(phases.filter(([, phase]) => phase.fresh !== undefined)).toEqual([]);
  });

  it("conversationPhases waits for people in chat and brainstorm", () => {
    expect(phases.filter(([, { waiting }]) => waiting).map(([name]) => name)).toEqual(["chat", "brainstorm"]);
  });

  it.each([
    ["chat", true],
    ["brainstorm", true],
    ["plan", true],
    ["execute", false],
    ["verification", false],
    ["chores", false],
    ["reflection", true],
  ])("a conversation may end in %s: %s", (name, final) => {
    expect(Object.fromEntries(phases)[name]?.final ?? false).toBe(final);
  });
});
