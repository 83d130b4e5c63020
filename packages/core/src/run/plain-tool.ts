import type { JsonObject } from "../text/json.ts";
import type { RunPort } from "./run.ts";
import { phaseSpec, edgesFrom } from "../graph/phase-graph.ts";

/** The answer of a plain tool: a text for the agent, and the same as data for programs. */
export interface PlainToolResult {
  readonly ok: boolean;
  readonly text: string;
  readonly data?: JsonObject;
}

/** A tool in no framework's form; each adapter renders it natively. */
export interface PlainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  /** Takes whatever the model wrote: it checks its input itself and answers what is wrong. */
  readonly execute: (input: unknown) => PlainToolResult | Promise<PlainToolResult>;
}

/** Lets the agent ask where it is: phase, turns, what is allowed next, what is owed, what is left. */
export function phaseStatusTool(run: RunPort): PlainTool {
  return {
    name: "phase_status",
    description:
      "Says which phase of the work you are in, what it is for, where you may go next and what is still owed.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    execute: () => phaseStatus(run),
  };
}

function phaseStatus({ view }: RunPort): PlainToolResult {
  const { phase, turnsInPhase, graph, status, limits, owed, turn } = view;
  const next = edgesFrom(graph, phase).map(({ to }) => to);
  const purpose = phaseSpec(graph, phase)?.purpose;
  const open = owed.map(({ visit }) => visit);
  const lines = [
    `Phase "${phase}" (${status}), ${String(turnsInPhase)} turns in it.`,
    ...(purpose === undefined ? [] : [`It is for: ${purpose}`]),
    next.length === 0 ? "No phase follows." : `Next: ${next.join(", ")}.`,
    ...(open.length === 0 ? [] : [`Still owed: ${open.join(", ")}.`]),
    ...(limits.turns === undefined ? [] : [`Turn ${String(turn)} of ${String(limits.turns)}.`]),
  ];
  return { ok: true, text: lines.join("\n"), data: { phase, status, turnsInPhase, next, owed: open } };
}
