import { createRun, nameTableInterpreter, type NewEvent } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { readiness } from "../__fixtures__/pipeline.ts";
import { artifactOnly, contractGate } from "./contract-gate.ts";
import { contractsToGraph } from "./contracts-to-graph.ts";

const graph = contractsToGraph(readiness);
const claim: NewEvent = { type: "claim.submitted", claim: "c1", phase: "research" };
const verdict = (given: "approved" | "rejected", fix?: string): NewEvent => ({
  type: "verdict.given",
  claim: "c1",
  verdict: given,
  ...(fix !== undefined && { fix }),
});
const turn: NewEvent = { type: "turn.started" };

describePolicy(() => contractGate({ contracts: readiness }), {
  describe,
  it,
  graph,
  events: [
    turn,
    { type: "finish.requested" },
    claim,
    verdict("rejected", "More."),
    { type: "finish.requested" },
    claim,
    verdict("approved"),
    { type: "finish.requested" },
  ],
});
describePolicy(() => artifactOnly({ contracts: readiness, identifier: "SYM-001" }), {
  describe,
  it,
  graph,
  events: [turn, { type: "tool.requested", call: "a", tool: "Write", input: { path: "src/x.ts" } }],
});

describe("contractGate", () => {
  it.each<{
    readonly name: string;
    readonly facts: readonly NewEvent[];
    readonly accept: boolean;
    readonly verified?: boolean;
  }>([
    { name: "nothing was claimed", facts: [turn], accept: false },
    { name: "a claim waits for a judge", facts: [turn, claim], accept: true, verified: false },
    { name: "the claim was rejected", facts: [turn, claim, verdict("rejected")], accept: false },
    { name: "the claim was approved", facts: [turn, claim, verdict("approved")], accept: true, verified: true },
    {
      name: "a verdict on another claim",
      facts: [turn, claim, { type: "verdict.given", claim: "c9", verdict: "approved" }],
      accept: true,
      verified: false,
    },
    {
      name: "a claim of another phase",
      facts: [turn, { type: "claim.submitted", claim: "c1", phase: "grooming" }, verdict("approved"), turn],
      accept: false,
    },
  ])("$name: accept $accept", ({ facts, accept, verified }) => {
    const run = createRun({ graph, policies: [contractGate({ contracts: readiness })], mode: "gate" });
    for (const fact of facts) run.record(fact);
    expect(run.beforeFinish()).toMatchObject({ accept, ...(verified !== undefined && { verified }) });
  });

  it("contractGate says what is missing, and after a rejection what to fix", () => {
    const answer = (facts: readonly NewEvent[]): string => {
      const run = createRun({ graph, policies: [contractGate({ contracts: readiness })], mode: "gate" });
      for (const fact of facts) run.record(fact);
      const finish = run.beforeFinish();
      return finish.accept ? "" : finish.text;
    };
    expect(answer([turn])).toContain(
      'Phase "research" is not complete under its contract. Call complete_phase when it is.',
    );
    expect(answer([turn, claim, verdict("rejected", "Name the risks")])).toContain(
      "The last claim was rejected; fix it and call complete_phase again: Name the risks.",
    );
  });
});

describe("artifactOnly", () => {
  it.each([
    { tool: "Write", input: { file_path: "docs/tickets/SYM-001/research.md", content: "x" }, allow: true },
    { tool: "Write", input: { file_path: "/repo/docs/tickets/SYM-001/research.md", content: "x" }, allow: true },
    { tool: "Write", input: { file_path: "src/index.ts", content: "x" }, allow: false },
    { tool: "Write", input: { file_path: "docs/tickets/SYM-002/research.md", content: "x" }, allow: false },
    { tool: "Write", input: { file_path: "docs/tickets/SYM-001/design.md", content: "x" }, allow: false },
    { tool: "Read", input: { file_path: "src/index.ts" }, allow: true },
  ])("$tool $input.file_path while researching: $allow", ({ tool, input, allow }) => {
    const run = createRun({
      graph,
      interpret: nameTableInterpreter(),
      policies: [artifactOnly({ contracts: readiness, identifier: "SYM-001" })],
      mode: "gate",
    });
    run.beforeTurn();
    expect(run.beforeTool({ tool, input }).allow).toBe(allow);
  });

  it("artifactOnly lets the last phase write anything", () => {
    const run = createRun({
      graph: { ...graph, initial: "ready" },
      policies: [artifactOnly({ contracts: readiness, identifier: "SYM-001" })],
      mode: "gate",
    });
    run.beforeTurn();
    expect(run.beforeTool({ tool: "Write", input: { file_path: "src/index.ts" } }).allow).toBe(true);
  });
});
