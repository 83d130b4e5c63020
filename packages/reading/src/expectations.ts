import { definePolicy, emit, type Emit, type Expectation, expectationSet, type Policy } from "@phasekit/core";
import { englishLexicon, type Lexicon } from "./answers/lexicon.ts";

/** Longer texts are specifications, in which words of repetition say little about the run. */
const SHORT = 400;
/** Characters of a text in which sentences are looked for. */
const LONG = 4000;

/**
 * Records what the user asked for as `expectation.set`: repetition of one call (`repeats`), the same thing for many
 * items (`series`), and whether the work is a change or an answer (`edits`). Reads the task and the messages of the
 * user. A host that knows better records `expectationSet` itself.
 *
 * @example
 * createRun({ interpret: reading(), policies: [expectations(), stall()] })
 */
export function expectations({ lexicon = englishLexicon }: { readonly lexicon?: Lexicon } = {}): Policy {
  const read = (text: string | undefined): Emit | undefined => {
    const expected = text === undefined ? undefined : readExpectation(text, lexicon);
    return expected === undefined ? undefined : emit(expectationSet, expected);
  };
  return definePolicy<unknown>({
    name: "expectations",
    version: "3",
    decide: {
      "run.started": ({ task }) => read(task?.text),
      "message.received": (_run, _state, { excerpt }) => read(excerpt),
    },
  });
}

function readExpectation(text: string, lexicon: Lexicon): Expectation | undefined {
  const words = text.length <= SHORT ? ` ${(text.toLowerCase().match(WORD) ?? []).join(" ")} ` : "";
  const asksFor = (phrases: readonly string[]): boolean => phrases.some((phrase) => words.includes(` ${phrase} `));
  const repeats = asksFor(lexicon.repetition);
  const series = asksFor(lexicon.series);
  const edits = asksForEdits(text, lexicon);
  if (!repeats && !series && edits === undefined) return undefined;
  return { repeats, ...(series && { series }), ...(edits !== undefined && { edits }) };
}

/** True if a sentence begins with an order to change something, false if the first one asks for an answer. */
function asksForEdits(text: string, { change, question, courtesy }: Lexicon): boolean | undefined {
  const firsts = text
    .slice(0, LONG)
    .split(/[.?!:;\n]+/)
    .map((sentence) => firstWord(sentence.slice(0, 120), courtesy))
    .filter((word) => word !== undefined);
  if (firsts.some((word) => change.includes(word))) return true;
  return firsts[0] !== undefined && question.includes(firsts[0]) ? false : undefined;
}

const WORD = /[\p{L}\p{N}]+/gu;

function firstWord(sentence: string, courtesy: readonly string[]): string | undefined {
  for (const [word] of sentence.toLowerCase().matchAll(WORD)) if (!courtesy.includes(word)) return word;
  return undefined;
}
