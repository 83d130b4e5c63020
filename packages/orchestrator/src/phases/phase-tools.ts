import type { PhaseGraph, PlainTool } from "@phasekit/core";
import { edgesFrom, phaseSpec, toObject } from "@phasekit/core/adapter";
import type { AgentResult } from "../agents/agent.ts";
import { judgeLesson } from "./judge-lesson.ts";
import type { Lesson } from "../conversation/conversation-events.ts";

/** Text for an agent whose part of a phase was recorded as complete. */
function completionText(graph: PhaseGraph, phase: string): string {
  const { exit = [] } = phaseSpec(graph, phase) ?? {};
  const next = edgesFrom(graph, phase).map(({ to }) => to);
  return [
    `Recorded: your part of the phase "${phase}" is complete.`,
    ...(exit.length === 0 ? [] : [`The phase itself is complete when: ${exit.join("; ")}.`]),
    next.length === 0 ? "No phase follows." : `Next: ${next.join(" or ")}.`,
  ].join(" ");
}

/**
 * Tool with which an agent reports that its part is complete. Description and answer depend on the phase. `done`
 * receives the result.
 */
export function completeTool({
  graph,
  phase,
  verification,
  done,
}: {
  readonly graph: PhaseGraph;
  readonly phase: string;
  /** The phase whose outcome verifies the conversation. */
  readonly verification?: string | undefined;
  readonly done: (result: AgentResult) => void;
}): PlainTool {
  const { purpose = "", exit = [] } = phaseSpec(graph, phase) ?? {};
  const until = exit.length === 0 ? "" : ` Call it when this is true: ${exit.join("; ")}.`;
  return {
    name: "complete",
    description: `Reports that your part of the phase "${phase}" is complete. ${purpose}${until}`.trim(),
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "Your full answer." },
        summary: { type: "string", description: "State of the work in a few words, for the next agent." },
        phase: {
          type: "string",
          enum: edgesFrom(graph, phase).map(({ to }) => to),
          description: "Phase that should come next, if you know it.",
        },
        ...(phase === verification && {
          passed: { type: "boolean", description: "True if the work passed, false if you found issues." },
        }),
      },
      required: ["text"],
      additionalProperties: false,
    },
    execute: (input) => {
      const { text, summary, phase: wanted, passed } = toObject(input);
      if (typeof text !== "string" || text.trim() === "")
        return { ok: false, text: "`text` is missing. Say what you did." };
      done({
        text,
        ...(typeof summary === "string" && { summary }),
        ...(typeof wanted === "string" && { phase: wanted }),
        ...(typeof passed === "boolean" && { passed }),
      });
      return { ok: true, text: completionText(graph, phase) };
    },
  };
}

/** Tool with which an agent stores a lesson. It refuses trivial and known lessons and says why. */
export function lessonTool({
  phase,
  known,
  learn,
}: {
  readonly phase: string;
  readonly known: () => readonly Pick<Lesson, "text">[];
  readonly learn: (text: string) => void;
}): PlainTool {
  return {
    name: "lesson",
    description:
      `Stores one lesson of the phase "${phase}" for the next time: ` +
      "what happened in this project, and what to do differently.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
    execute: (input) => {
      const { text } = toObject(input);
      if (typeof text !== "string") return { ok: false, text: "`text` is missing. Say what you learned." };
      const verdict = judgeLesson(text, known());
      if (!verdict.ok) return { ok: false, text: verdict.text };
      learn(text);
      return { ok: true, text: "Stored." };
    },
  };
}
