import type { Meaning, ToolResult } from "@phasekit/core";
import { isObject } from "@phasekit/core/kit";
import type { Lexicon } from "./lexicon.ts";

/** The kind of an answer. */
export type AnswerClass = NonNullable<Meaning["answer"]>;

/** Answers up to this length are read for words; a longer one is content, whatever words it holds. */
const SHORT = 600;
/** A single line up to this length confirms an action, or is a value. */
const ACKNOWLEDGEMENT = 160;

/** Context for judging an answer, besides its result. */
export interface AnswerContext {
  /** The answer as text. */
  readonly text: string;
  /** The question as text: a word that it holds says nothing about the answer. */
  readonly question: string;
  readonly effect: Meaning["effect"];
  readonly lexicon: Lexicon;
}

/** Classifies an answer: first by what the host says about it, then, if it is short, by its words. */
export function classifyAnswer(
  { outcome, output, exitCode = exitCodeIn(output) }: ToolResult,
  { text, question, effect, lexicon }: AnswerContext,
): AnswerClass {
  const empty = text.trim() === "";
  // A search that finds nothing ends with code 1 and prints nothing.
  if (empty && (outcome === "ok" || effect === "look") && (exitCode ?? 0) <= 1) return "nothing";
  if (outcome !== "ok" || (exitCode !== undefined && exitCode !== 0)) return "failure";
  if (text.length > SHORT) return "content";
  const answer = text.toLowerCase();
  const asked = question.toLowerCase();
  const says = (words: readonly string[]): boolean =>
    words.some((word) => answer.includes(word) && !asked.includes(word));
  if (says(lexicon.nothing)) return "nothing";
  if (says(lexicon.failure)) return "failure";
  if (says(lexicon.pending)) return "pending";
  if (text.length > ACKNOWLEDGEMENT || text.trim().includes("\n")) return "content";
  return effect === "change" || effect === "act" ? "done" : "value";
}

/** The exit code a shell reports as plain data. */
function exitCodeIn(output: unknown): number | undefined {
  if (!isObject(output)) return undefined;
  const code = output["exitCode"] ?? output["exit_code"] ?? output["returncode"];
  return typeof code === "number" ? code : undefined;
}
