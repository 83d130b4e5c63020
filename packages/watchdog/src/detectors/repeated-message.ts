import { alert, definePolicy, type Policy } from "@phasekit/core";
import { askedFor } from "../asked-for.ts";
import { contentWords, similarity } from "../words.ts";

/** Options of `repeatedMessage`. */
export interface RepeatedMessageOptions {
  /** Equal messages with no tool call between them, white space aside. @default 3 */
  readonly times?: number;
  /** Messages that say the same in nearly the same words, or equal ones with others between them. @default 4 */
  readonly similar?: number;
}

interface RepeatedMessageState {
  /** The last message; its words are looked at when another one follows and nothing was done in between. */
  text: string;
  count: number;
  similar: number;
  /** How many of the last messages were this one. */
  lately: number;
  /** The last messages. */
  readonly recent: string[];
  /** Inside an open code fence equal lines are code. */
  fenced: boolean;
  messages: number;
  /** Tool calls of the run at the last message. */
  calls: number;
  /** How often the same may be said because somebody asked for it. */
  again: number;
  /** The first message after a call: it is looked at when another one follows, which is rare. */
  held: string | undefined;
}

const STRUCTURE = /^\s*(?:[-*+•]\s|\d+[.)]\s|\||#{1,6}\s|>)/;
const MIN_WORDS = 4;
const LATELY = 20;

/**
 * Notices an agent saying the same thing instead of doing something.
 *
 * Fires: one sentence three times with nothing done in between; four messages in nearly the same words; a few sentences
 * in a circle.
 * Silent: a tool result or a message from the user in between, rules, list items, tables, headings, code.
 * Seen: opencode issue 12716.
 */
export function repeatedMessage({ times = 3, similar = 4 }: RepeatedMessageOptions = {}): Policy<RepeatedMessageState> {
  const initial = (): RepeatedMessageState => ({ text: "", count: 0, similar: 0, lately: 0, recent: [], messages: 0, fenced: false, calls: 0, again: 0, held: "" });
  return definePolicy<RepeatedMessageState>({
    name: "repeated-message",
    version: "2",
    saysAll: true,
    initial,
    observe: {
      "message.sent": (state, { excerpt = "" }, { toolCalls }) => {
        const { held, calls } = state;
        if (toolCalls > calls || held === "") {
          Object.assign(state, { ...initial(), calls: toolCalls, again: state.again, held: excerpt });
          return;
        }
        if (held !== undefined) {
          state.held = undefined;
          hear(state, held);
        }
        hear(state, excerpt);
      },
      "run.started": (state, { task }) => {
        state.again = askedFor(task?.text ?? "").again;
      },
      "message.received": (state, { excerpt = "" }, { toolCalls }) => {
        Object.assign(state, { ...initial(), calls: toolCalls, again: askedFor(excerpt).again });
      },
    },
    decide: {
      // Who does something has stopped talking.
      "tool.finished": () => undefined,
      "message.sent": (_run, { text, count, similar: near, lately, again }) => {
        if (Math.max(count - times, near - similar, lately - similar) < Math.max(0, again - times)) return undefined;
        const repeats = count >= times ? count : Math.max(near, lately);
        return alert({ kind: "repeated-message", signature: "", count: repeats, evidence: { text: text.slice(0, 160) } });
      },
    },
  });
}

function hear(state: RepeatedMessageState, excerpt: string): void {
  const fences = excerpt.split("```").length - 1;
  const inFence = state.fenced || fences > 0;
  if (fences % 2 === 1) state.fenced = !state.fenced;
  const text = excerpt.replace(/\s+/g, " ").trim();
  // An empty message says nothing, also not that the one before it was over.
  if (text === "" || inFence || !/[\p{L}\p{N}]/u.test(text) || STRUCTURE.test(excerpt)) return;
  const before = state.text;
  state.text = text;
  const same = before !== "" && (text === before || spokenOf(text) === spokenOf(before));
  state.count = same ? state.count + 1 : 1;
  state.recent[state.messages % LATELY] = text;
  state.messages += 1;
  state.lately = text.split(" ").length < MIN_WORDS ? 0 : state.recent.filter((other) => other === text).length;
  state.similar = same || (before !== "" && areNear(text, before)) ? state.similar + 1 : 1;
}

/** What is said, however it is punctuated. */
function spokenOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Whether two messages are made of nearly the same words. */
function areNear(one: string, other: string): boolean {
  const words = contentWords(one);
  return words.size >= MIN_WORDS && similarity(words, contentWords(other)) >= 0.75;
}
