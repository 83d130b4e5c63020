import { alert, definePolicy, type Policy } from "@phasekit/core";
import { pushBounded } from "../bounded.ts";
import { contentWords, overlap } from "../words.ts";

/** Options of `repeatedQuestion`. */
export interface RepeatedQuestionOptions {
  /** Times the same is asked, in whatever words. @default 3 */
  readonly times?: number;
}

interface RepeatedQuestionState {
  readonly asked: { readonly words: readonly string[]; readonly text: string }[];
  count: number;
}

const KEPT = 8;
const ENOUGH = 0.6;

/**
 * Notices the user being asked the same thing again in other words. An answer in between does not excuse it.
 *
 * Fires: the third question about the same thing. Silent: different questions, a question repeated once, offers of help.
 * Seen: whowhen/Hand-Crafted__9, "Would you like to proceed with this plan?" after every new plan; nanobot issue 923.
 */
export function repeatedQuestion({ times = 3 }: RepeatedQuestionOptions = {}): Policy<RepeatedQuestionState> {
  const report = ({ count, asked }: Readonly<RepeatedQuestionState>) =>
    count >= times ? alert({ kind: "repeated-question", signature: "", count, evidence: { question: asked.at(-1)?.text ?? "" } }) : undefined;
  return definePolicy<RepeatedQuestionState>({
    name: "repeated-question",
    version: "2",
    // A call that does something else ends it; asking once more brings it back.
    saysAll: true,
    initial: () => ({ asked: [], count: 0 }),
    observe: {
      "question.asked": (state, { question }) => { ask(state, question); },
      "message.sent": (state, { excerpt = "" }) => {
        const question = lastQuestion(excerpt);
        if (question !== undefined) ask(state, question);
        // Who goes on with something else has stopped asking, for now.
        else state.count = 0;
      },
      "tool.requested": (state, { meaning, input }) => {
        if (meaning.activity === "ask") ask(state, questionOf(input));
      },
      "tool.finished": (state, { meaning, input, outcome }) => {
        if (meaning.activity === "ask") {
          if (input !== undefined) ask(state, questionOf(input));
        } else if (meaning.mutates === true && outcome === "ok") {
          state.asked.length = 0;
          state.count = 0;
        }
      },
    },
    decide: {
      "question.asked": (_run, state) => report(state),
      "message.sent": (_run, state) => report(state),
      "tool.finished": (_run, state, { meaning }) => (meaning.activity === "ask" ? report(state) : undefined),
    },
  });
}

function ask(state: RepeatedQuestionState, question: string): void {
  const words = contentWords(question);
  if (words.size === 0 || OFFER.test(question)) return;
  state.count = 1 + state.asked.filter((before) => overlap(words, new Set(before.words)) >= ENOUGH).length;
  pushBounded(state.asked, { words: [...words], text: question.slice(0, 200) }, KEPT);
}

/** A kindness at the end of an answer; nobody needs to answer it. */
const OFFER = /\b(?:(?:any|some)thing (?:else|more)|(?:help|assist) you|(?:other|further|more) (?:questions?|details?|information)|know more|the next one)\b/i;

/** The last sentence of a message, when it is a question. */
function lastQuestion(text: string): string | undefined {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith("?")) return undefined;
  const start = Math.max(...[". ", "! ", "\n", "? "].map((end) => trimmed.lastIndexOf(end, trimmed.length - 2)));
  return trimmed.slice(start + 1).slice(-400);
}

function questionOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  const { question, prompt, message, text, query } = input as Readonly<Record<string, unknown>>;
  const found = question ?? prompt ?? message ?? text ?? query;
  return typeof found === "string" ? found : JSON.stringify(input);
}
