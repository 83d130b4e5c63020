import type { NewEvent, Usage } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { plainFinishReason } from "./finish-reason.ts";

/** Notes of a transcript on an answer of the model. */
export interface AnswerNotes {
  /** The answer's own id: records that share it are one answer. */
  readonly id?: string;
  readonly at?: number;
  readonly model?: string;
  readonly usage?: Usage;
  /** In the words of the provider, or of core's `normalizeFinishReason`. */
  readonly finishReason?: string;
  readonly durationMs?: number;
  /** Which of several agents answered. */
  readonly agent?: string;
  /** The log leaves texts out: an answer without one is not empty. */
  readonly isTextUnknown?: boolean;
}

/** A turn in progress: many logs spread one answer over several records, between the results of its calls. */
export interface OpenTurn {
  readonly id: string | undefined;
  readonly note: (notes: AnswerNotes) => void;
  readonly addText: (text: string) => void;
  readonly addReasoning: (text: string) => void;
  readonly addCall: (event: NewEvent<"tool.requested">) => void;
  /** Anything that happened after the answer: results, child runs, checks. */
  readonly addLater: (event: NewEvent) => void;
  readonly isFull: () => boolean;
  readonly text: () => string;
  /** The answer has reasoning, even if its text is withheld. */
  readonly hasReasoned: () => boolean;
  readonly calls: () => number;
  /** The ids of its calls and results. All calls come before all results, so the ids must be unique. */
  readonly callIds: ReadonlySet<string>;
  readonly notes: () => AnswerNotes;
  /** The events in the order of the adapters: the turn, the answer, its reasoning, text and calls, then the rest. */
  readonly events: () => readonly NewEvent[];
}

const MAX_PARTS = 5000;

/** A turn that begins at `startedAt`, when the model was asked. */
export function createOpenTurn(first: AnswerNotes, startedAt: number | undefined): OpenTurn {
  let notes: AnswerNotes = first;
  let text = "";
  let reasoning = "";
  let hasReasoned = false;
  const calls: NewEvent<"tool.requested">[] = [];
  const later: NewEvent[] = [];
  const callIds = new Set<string>();

  return {
    id: first.id,
    note: (more) => {
      notes = { ...notes, ...defined(more) };
    },
    addText: (more) => {
      text += more;
    },
    addReasoning: (more) => {
      hasReasoned = true;
      reasoning += reasoning === "" || more === "" ? more : `\n${more}`;
    },
    addCall: (event) => {
      calls.push(event);
      callIds.add(event.call ?? "");
    },
    addLater: (event) => {
      later.push(event);
      // A result of an earlier turn comes after the calls of this one: its id is in use until then.
      if (event.type === "tool.finished") callIds.add(event.call ?? "");
    },
    isFull: () => calls.length + later.length >= MAX_PARTS,
    text: () => text,
    hasReasoned: () => hasReasoned,
    calls: () => calls.length,
    callIds,
    notes: () => notes,
    events: () => {
      const { at, model, usage, finishReason, durationMs, agent, isTextUnknown = false } = notes;
      const base = defined({ at, agent });
      return [
        { type: "turn.started", ...defined({ at: startedAt ?? at, agent }) },
        {
          type: "model.answered",
          ...base,
          ...defined({ model, usage, finishReason: plainFinishReason(finishReason), durationMs }),
          ...(!(isTextUnknown && text === "") && { textLength: text.length }),
          toolCalls: calls.length,
        },
        ...(reasoning === "" ? [] : [{ type: "model.reasoned" as const, ...base, text: reasoning }]),
        ...(text === "" ? [] : [{ type: "message.sent" as const, ...base, text }]),
        ...calls,
        ...later,
      ];
    },
  };
}
