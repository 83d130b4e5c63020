import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { phaseStatusTool } from "./plain-tool.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { budget } from "../policies/budget.ts";

const graph = definePhaseGraph({
  initial: "plan",
  phases: { plan: { next: ["code"], purpose: "Settle what to do." }, code: { next: ["check"] }, check: { next: [] } },
  required: [{ after: "code", visit: "check", before: "end" }],
});

describe("phaseStatusTool", () => {
  it("phaseStatusTool is a tool any framework accepts", () => {
    const { execute, ...description } = phaseStatusTool(loggedRun().run);
    expect(typeof execute).toBe("function");
    expect({ ...description, description: description.description.split(/(?<=,) /) }).toMatchInlineSnapshot(`
      {
        "description": [
          "Says which phase of the work you are in,",
          "what it is for,",
          "where you may go next and what is still owed.",
        ],
        "inputSchema": {
          "additionalProperties": false,
          "properties": {},
          "type": "object",
        },
        "name": "phase_status",
      }
    `);
  });

  it("phaseStatusTool says where the agent is, whatever the model wrote as input", async () => {
    const { run } = loggedRun({ graph, policies: [budget({ turns: 20 })] });
    const tool = phaseStatusTool(run);
    run.record({ type: "turn.started" });
    expect(await tool.execute("nonsense")).toEqual({
      ok: true,
      text: 'Phase "plan" (running), 1 turns in it.\nIt is for: Settle what to do.\nNext: code.\nTurn 1 of 20.',
      data: { phase: "plan", status: "running", turnsInPhase: 1, next: ["code"], owed: [] },
    });
    run.transition("code");
    expect(await tool.execute({})).toMatchObject({
      text: 'Phase "code" (running), 0 turns in it.\nNext: check.\nStill owed: check.\nTurn 1 of 20.',
      data: { owed: ["check"] },
    });
  });

  it("phaseStatusTool says when no phase follows, and nothing about limits that do not exist", async () => {
    const { run } = loggedRun();
    run.suspend();
    expect(await phaseStatusTool(run).execute(undefined)).toMatchObject({
      text: 'Phase "working" (suspended), 0 turns in it.\nNo phase follows.',
    });
  });
});
