import { describe, expect, it } from "vitest";
import { checkGraph } from "../check-graph.ts";
import { edgesFrom, type PhaseSpec } from "../phase-graph.ts";
import { deliveryPhases } from "./delivery-phases.ts";

const phases: readonly (readonly [string, PhaseSpec])[] = Object.entries(deliveryPhases.phases);
const leads = (from: string, to: string): boolean => edgesFrom(deliveryPhases, from).some((edge) => edge.to === to);

describe("deliveryPhases", () => {
  it("deliveryPhases has no issues", () => {
    expect(checkGraph(deliveryPhases)).toEqual([]);
    expect(phases.map(([name]) => name)).toEqual([
      "setup",
      "plan",
      "plan-review",
      "code",
      "test",
      "code-review",
      "budget-review",
      "merge",
    ]);
    expect(deliveryPhases.initial).toBe("setup");
  });

  it.each([
    ["setup", "plan"],
    ["setup", "code"],
    ["plan", "plan-review"],
    ["plan", "budget-review"],
    ["plan-review", "code"],
    ["plan-review", "plan"],
    ["code", "test"],
    ["code", "code-review"],
    ["code", "budget-review"],
    ["test", "code"],
    ["test", "code-review"],
    ["code-review", "merge"],
    ["code-review", "code"],
    ["budget-review", "plan"],
    ["budget-review", "code"],
    ["merge", "code"],
  ])("%s leads to %s", (from, to) => {
    expect(leads(from, to)).toBe(true);
  });

  it.each([
    ["setup", "code-review"],
    ["setup", "merge"],
    ["plan", "code"],
    ["plan", "test"],
    ["plan-review", "merge"],
    ["code", "merge"],
    ["test", "merge"],
    ["budget-review", "test"],
    ["budget-review", "merge"],
    ["merge", "setup"],
    ["nonsense", "code"],
  ])("%s does not lead to %s", (from, to) => {
    expect(leads(from, to)).toBe(false);
  });

  it.each(["plan-review", "code-review", "budget-review"] as const)(
    "%s waits and is left only by a judge or a person",
    (name) => {
      const phase: PhaseSpec = deliveryPhases.phases[name];
      expect(phase.waiting).toBe(true);
      for (const { by } of edgesFrom(deliveryPhases, name)) expect(by).toEqual(["judge", "user"]);
    },
  );

  it("deliveryPhases waits for people in its reviews and in merge", () => {
    expect(phases.filter(([, { waiting }]) => waiting).map(([name]) => name)).toEqual([
      "plan-review",
      "code-review",
      "budget-review",
      "merge",
    ]);
  });

  it("deliveryPhases ends in merge", () => {
    expect(phases.filter(([, { final }]) => final).map(([name]) => name)).toEqual(["merge"]);
  });

  it("deliveryPhases denies edits and version control writes while planning, and nothing elsewhere", () => {
    expect(phases.filter(([, { activities, tools }]) => activities ?? tools).map(([name]) => name)).toEqual(["plan"]);
    expect(deliveryPhases.phases.plan.activities).toEqual({ deny: ["edit", "vcs-write"] });
  });

  it.each([
    ["the task is a plan", /plan how the story will be developed, not to develop it/],
    ["why nothing can be changed", /separate agent with full access develops it/],
    ["how to hand the plan in", /comprehensive plan and hand it in with submit_plan/],
    ["how to ask for help", /ask the architect for guidance with ask_for_help/],
  ])("the guidance for planning says: %s", (_what, said) => {
    expect(deliveryPhases.phases.plan.guidance).toMatch(said);
  });

  it.each([
    ["the workspace is current", /workspace is current: setup cloned or updated/],
    [
      "git operations are unnecessary and fail",
      /git fetch, git pull, git checkout and git clone are unnecessary, and they fail, because the file system/,
    ],
    ["which commands to use", /ls, cat, find, grep, tree, docker --version/],
  ])("the constraints for planning, which reminders repeat, say: %s", (_what, said) => {
    expect(deliveryPhases.phases.plan.constraints?.join("\n")).toMatch(said);
  });

  it.each([
    ["the branch is fresh", /fresh working branch that has no commits/],
    [
      "history commands fail, as expected",
      /git log, git rev-parse HEAD, git ls-tree\) fail or report that there are no commits\. That is expected/,
    ],
    ["the files are there", /files are there, taken from the base branch/],
    ["look at files", /look at the file system \(ls, find, cat\), not at the history/],
  ])("the notes for planning say: %s", (_what, said) => {
    expect(deliveryPhases.phases.plan.notes?.join("\n")).toMatch(said);
  });
});
