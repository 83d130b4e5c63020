import type { NewFact, Usage } from "@phasekit/core";
import { known } from "./loose-json.ts";

/** What a transcript says about an answer of the model. */
export interface AnswerNotes {
  /** The answer's own id: records that share it are one answer. */
  readonly id?: string;
  readonly at?: number;
  readonly model?: string;
  readonly usage?: Usage;
  readonly finishReason?: string;
  readonly durationMs?: number;
  /** Which of several agents answered. */
  readonly agent?: string;
}

/** A turn that is still being read: many logs spread one answer over several records, between the results of its calls. */
export interface OpenTurn {
  readonly id: string | undefined;
  readonly note: (notes: AnswerNotes) => void;
  readonly addText: (text: string) => void;
  readonly addCall: (fact: NewFact<"tool.requested">) => void;
  /** Anything that happened after the answer: results, child runs, checks. */
  readonly addLater: (fact: NewFact) => void;
  readonly isFull: () => boolean;
  readonly text: () => string;
  readonly calls: () => number;
  /** The ids of its calls and results: calls stand together before all results, so no two may share one. */
  readonly callIds: ReadonlySet<string>;
  readonly notes: () => AnswerNotes;
  /** The facts in the order every adapter records them: the turn, the answer, its text, its calls, then what they led to. */
  readonly facts: () => readonly NewFact[];
}

const MAX_PARTS = 5000;

/** A turn that begins at `startedAt`, when the model was asked. */
export function createOpenTurn(first: AnswerNotes, startedAt: number | undefined): OpenTurn {
  let notes: AnswerNotes = first;
  let text = "";
  const calls: NewFact<"tool.requested">[] = [];
  const later: NewFact[] = [];
  const callIds = new Set<string>();

  return {
    id: first.id,
    note: (more) => { notes = { ...notes, ...known(more) }; },
    addText: (more) => { text += more; },
    addCall: (fact) => {
      calls.push(fact);
      callIds.add(fact.call ?? "");
    },
    addLater: (fact) => {
      later.push(fact);
      // A result of an earlier turn stands behind this one's calls: until then its id is in use.
      if (fact.type === "tool.finished") callIds.add(fact.call ?? "");
    },
    isFull: () => calls.length + later.length >= MAX_PARTS,
    text: () => text,
    calls: () => calls.length,
    callIds,
    notes: () => notes,
    facts: () => {
      const { at, model, usage, finishReason, durationMs, agent } = notes;
      const base = known({ at, agent });
      return [
        { type: "turn.started", ...known({ at: startedAt ?? at, agent }) },
        { type: "model.answered", ...base, ...known({ model, usage, finishReason, durationMs }), textLength: text.length, toolCalls: calls.length },
        ...(text === "" ? [] : [{ type: "message.sent" as const, ...base, text }]),
        ...calls,
        ...later,
      ];
    },
  };
}
