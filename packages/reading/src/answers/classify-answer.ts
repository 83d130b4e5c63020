import type { Meaning, ToolResult } from "@phasekit/core";
import { isObject } from "@phasekit/core/adapter";
import { isSilent } from "../checks/read-findings.ts";
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
  /** True if the call failed, as its reader found out. */
  readonly failed?: boolean;
}

/** Classifies an answer: first by what the host says about it, then, if it is short, by its words. */
export function classifyAnswer(
  { outcome, output, exitCode = exitCodeIn(output) }: ToolResult,
  { text, question, effect, lexicon, failed: known }: AnswerContext,
): AnswerClass {
  // Of a search without a match the host may show the code alone.
  const empty = text.trim() === "" || (known === false && text.length <= ACKNOWLEDGEMENT && isSilent(text));
  // A search that finds nothing ends with code 1 and prints nothing.
  if (empty && (outcome === "ok" || effect === "look") && (exitCode ?? 0) <= 1) return "nothing";
  const failed = known ?? (outcome !== "ok" || (exitCode !== undefined && exitCode !== 0));
  if (text.length > SHORT) return failed ? "failure" : "content";
  const answer = wordsThatTell(text.toLowerCase(), { effect, lexicon });
  const asked = question.toLowerCase();
  const firstOf = (words: readonly string[]): number =>
    words.reduce((first, word) => {
      const at = answer.indexOf(word);
      return at < 0 || at >= first || asked.includes(word) ? first : at;
    }, Infinity);
  const failure = firstOf(lexicon.failure);
  const pending = firstOf(lexicon.pending);
  // A program that gives up waiting fails, and what it waits for may still come.
  if (failed) return pending < failure ? "pending" : "failure";
  if (firstOf(lexicon.nothing) < Infinity) return "nothing";
  if (Math.min(failure, pending) < Infinity) return pending < failure ? "pending" : "failure";
  if (text.length > ACKNOWLEDGEMENT || /\S(?:\n|; )\s*\S/.test(text)) return "content";
  return effect === "change" || effect === "act" ? "done" : "value";
}

/**
 * The part of an answer whose words tell what it is. A look shows content, so only its first line does. A failure that
 * is counted as none did not happen: `0 errors`, `no errors`, `failed=0`, `"error": null`.
 */
function wordsThatTell(answer: string, { effect, lexicon }: Pick<AnswerContext, "effect" | "lexicon">): string {
  const [part = ""] = effect === "look" ? answer.trimStart().split("\n", 1) : [answer];
  if (!lexicon.failure.some((failure) => part.includes(failure))) return part;
  return part.replace(NONE, (phrase, after?: string, before?: string) => {
    const word = after ?? before ?? "";
    return lexicon.failure.some((failure) => word.startsWith(failure)) ? " " : phrase;
  });
}

const NONE = /\b(?:0|no|without) (\w+)|(\w+)["']?[=:]? ?(?:\b0\b(?![.\d])|\[\]|\bnone\b|\bnull\b)/g;

/** The exit code a shell reports as plain data. */
function exitCodeIn(output: unknown): number | undefined {
  if (!isObject(output)) return undefined;
  const code = output["exitCode"] ?? output["exit_code"] ?? output["returncode"];
  return typeof code === "number" ? code : undefined;
}
