import { checkGraph } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { readiness } from "../__fixtures__/pipeline.ts";
import { checkContracts, contractsOrThrow } from "./check-contracts.ts";
import { renderContractIssues } from "./contract-issue.ts";
import { phasesAfter } from "./contract-set.ts";
import { contractsToGraph } from "./contracts-to-graph.ts";
import { type Contract, contractSchema } from "./contract-schema.ts";

const contract = (fields: object): Contract => ({
  ...contractSchema.parse({ contract_version: 1, ...fields }),
  body: "",
  hash: "",
});
const named = (phase: string, next_phase: string | null, more: object = {}) => ({
  ...contract({ phase, next_phase, ...more }),
  file: `${phase}.md`,
});
const problems = (...given: Parameters<typeof checkContracts>): string => {
  const checked = checkContracts(...given);
  return renderContractIssues(checked.ok ? checked.warnings : checked.issues);
};

describe("checkContracts", () => {
  it("checkContracts takes a pipeline and knows where it begins", () => {
    const checked = checkContracts([named("ready", null), named("research", "ready")]);
    expect(checked).toMatchObject({ ok: true, contracts: { initial: "research" }, warnings: [] });
  });

  it.each([
    { name: "no contract", contracts: [], says: "contracts:1:1 error: there are no contracts" },
    {
      name: "two for one phase",
      contracts: [named("a", null), named("a", null)],
      says: 'a.md:1:1 error: phase "a" already has a contract, in a.md',
    },
    {
      name: "an unknown next phase",
      contracts: [named("a", "b")],
      says: 'a.md:1:1 error: next_phase "b" has no contract; use one of: a',
    },
    {
      name: "a cycle",
      contracts: [named("a", "b"), named("b", "a")],
      says: 'phase "a" leads into a cycle that never ends',
    },
    {
      name: "a way into a cycle",
      contracts: [named("s", "a"), named("a", "b"), named("b", "a")],
      says: 'phase "s" leads into a cycle that never ends',
    },
    {
      name: "two beginnings",
      contracts: [named("a", "c"), named("b", "c"), named("c", null)],
      says: "several first phases: a, b",
    },
    {
      name: "an unknown check",
      contracts: [named("a", null, { validation: { structural_checks: ["has_owner"] } })],
      says: 'structural check "has_owner" is unknown',
    },
    {
      name: "an unknown trigger",
      contracts: [named("a", null, { validation: { escalate_if: ["big_change"] } })],
      says: 'trigger "big_change" is unknown',
    },
  ])("checkContracts refuses $name", ({ contracts, says }) => {
    expect(checkContracts(contracts).ok).toBe(false);
    expect(problems(contracts)).toContain(says);
    expect(() => contractsOrThrow(checkContracts(contracts))).toThrow(says);
  });

  it("checkContracts knows the host's checks and triggers", () => {
    const contract = named("a", null, {
      validation: { structural_checks: ["has_owner"], escalate_if: ["big_change"] },
    });
    expect(checkContracts([contract], { checks: ["has_owner"], triggers: ["big_change"] }).ok).toBe(true);
  });

  it("checkContracts warns of a done_when that looks like a check nobody has, and not of prose", () => {
    expect(
      problems([named("a", null, { done_when: ["artifact_exists", "tests_are_green", "The plan is clear"] })]),
    ).toBe(
      'a.md:1:1 warning: done_when "tests_are_green" looks like a check, but no check has this name; only the agent reads it',
    );
  });
});

describe("contractsToGraph", () => {
  it("contractsToGraph makes a graph without issues, in which only a judge or a person moves on", () => {
    const graph = contractsToGraph(readiness, { identifier: "SYM-001" });
    expect(checkGraph(graph)).toEqual([]);
    expect(graph.initial).toBe("research");
    expect(graph.phases["research"]).toMatchObject({
      next: [{ to: "architecture", by: ["judge", "user"] }],
      final: false,
    });
    expect(graph.phases["ready"]).toMatchObject({ next: [], final: true });
    expect(graph.phases["research"]?.guidance).toContain("docs/tickets/SYM-001/research.md");
  });
});

describe("phasesAfter", () => {
  it.each([
    { phase: "research", after: ["architecture", "grooming", "ready"] },
    { phase: "ready", after: [] },
    { phase: "deploy", after: [] },
    { phase: "__proto__", after: [] },
  ])("$phase", ({ phase, after }) => {
    expect(phasesAfter(readiness, phase)).toEqual(after);
  });
});
