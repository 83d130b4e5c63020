import { edgesFrom, type PhaseGraph, phaseSpec, type PlainTool } from "@phasekit/core";
import type { AgentResult } from "./agent.ts";
import { checkLesson } from "./lesson.ts";
import type { LessonLearned } from "./conversation-facts.ts";

/** What an agent reads when its part of a phase is recorded as complete. */
export function completionText(graph: PhaseGraph, phase: string): string {
  const { exit = [] } = phaseSpec(graph, phase) ?? {};
  const next = edgesFrom(graph, phase).map(({ to }) => to);
  return [
    `Recorded: your part of the phase "${phase}" is complete.`,
    ...(exit.length === 0 ? [] : [`The phase itself is complete when: ${exit.join("; ")}.`]),
    next.length === 0 ? "No phase follows." : `After it comes: ${next.join(" or ")}.`,
  ].join(" ");
}

/**
 * The tool by which an agent says that its part is complete. Its description and its answer are those of the phase; the
 * result is handed to `done`.
 */
export function completeTool({ graph, phase, done }: { readonly graph: PhaseGraph; readonly phase: string; readonly done: (result: AgentResult) => void }): PlainTool {
  const { purpose = "", exit = [] } = phaseSpec(graph, phase) ?? {};
  const until = exit.length === 0 ? "" : ` Use it when this holds: ${exit.join("; ")}.`;
  return {
    name: "complete",
    description: `Says that your part of the phase "${phase}" is complete. ${purpose}${until}`.trim(),
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "What you have to say, in full." },
        summary: { type: "string", description: "The state of the work in a few words, for whoever takes over." },
        phase: { type: "string", enum: edgesFrom(graph, phase).map(({ to }) => to), description: "The phase that should come next, if you know." },
      },
      required: ["text"],
      additionalProperties: false,
    },
    execute: (input) => {
      const { text, summary, phase: wanted } = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
      if (typeof text !== "string" || text.trim() === "") return { ok: false, text: "`text` is missing: say what you did." };
      done({ text, ...(typeof summary === "string" && { summary }), ...(typeof wanted === "string" && { phase: wanted }) });
      return { ok: true, text: completionText(graph, phase) };
    },
  };
}

/** The tool by which an agent keeps a lesson. What is trivial or known already is refused, and says why. */
export function lessonTool({ phase, known, learn }: { readonly phase: string; readonly known: () => readonly Pick<LessonLearned, "text">[]; readonly learn: (text: string) => void }): PlainTool {
  return {
    name: "lesson",
    description: `Keeps one lesson of the phase "${phase}" for the next time: what happened in this project, and what to do differently.`,
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
    execute: (input) => {
      const { text } = (typeof input === "object" && input !== null ? input : {}) as { readonly text?: unknown };
      if (typeof text !== "string") return { ok: false, text: "`text` is missing: say what was learned." };
      const verdict = checkLesson(text, known());
      if (!verdict.ok) return { ok: false, text: verdict.text };
      learn(text);
      return { ok: true, text: "Kept." };
    },
  };
}
