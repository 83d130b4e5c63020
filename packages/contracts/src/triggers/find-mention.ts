import { readMarkdown } from "../markdown/read-markdown.ts";
import { decodeReferences, keepVisible } from "../markdown/visible-characters.ts";

/** Returns the visible sentences of a Markdown text. */
export function sentencesOf(text: string): readonly string[] {
  return readMarkdown(text).flatMap((block) => (block.text === "" ? [] : toSentences(block.text)));
}

/** Returns the source paragraphs of a text, without emphasis marks and invisible characters. */
export function sourceOf(text: string): readonly string[] {
  return decodeReferences(text)
    .replace(/[*`~]+/g, "")
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => keepVisible(paragraph).replaceAll("\n", " ").trim())
    .filter((paragraph) => paragraph !== "");
}

function toSentences(text: string): readonly string[] {
  const line = text.includes("\n") ? text.replaceAll("\n", " ") : text;
  return line.includes(" ") ? line.split(/(?<=[.!?;:]) /) : [line];
}

/** Letters of other alphabets that look like Latin ones. */
const LOOK_ALIKES = new Map([
  ...pair("авсԁеһіјкӏмпорԛгѕтухуԝ", "abcdehijklmnopqrstuxyw"),
  ...pair("αβεικνορτυχγ", "abeiknoptuxy"),
]);

function pair(alike: string, latin: string): readonly (readonly [string, string])[] {
  return Array.from(alike, (letter, index) => [letter, latin[index] ?? letter] as const);
}

/** Folds look-alike letters and case. */
function fold(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase();
  return /[Ͱ-ӿԀ-ԯ]/.test(folded) ? folded.replace(/[Ͱ-ӿԀ-ԯ]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter) : folded;
}

/**
 * Returns the first text that mentions one of the words, as a whole word, singular or plural. A denial is a mention,
 * too: "no changes to passwords, apart from a rewrite" begins like "no changes to passwords". Only a judge can decide.
 */
export function findMention(texts: readonly string[], words: readonly string[]): string | undefined {
  const any = words.map((word) => word.replaceAll(" ", "[ _-]")).join("|");
  const mention = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${any})(?:s|es)?(?![\p{L}\p{N}])`, "u");
  const folded = foldAll(texts);
  const found = mention.exec(folded);
  if (found === null) return undefined;
  const start = folded.lastIndexOf("\n", found.index) + 1;
  const place = folded.slice(0, start).split("\n").length - 1;
  return excerpt(texts[place] ?? "", found.index - start);
}

const foldedTexts = new WeakMap<readonly string[], string>();

/** Folds the texts, one per line, once for all triggers. */
function foldAll(texts: readonly string[]): string {
  const known = foldedTexts.get(texts);
  if (known !== undefined) return known;
  const folded = fold(texts.map((text) => (text.includes("\n") ? text.replaceAll("\n", " ") : text)).join("\n"));
  foldedTexts.set(texts, folded);
  return folded;
}

/** Clips a long text to start shortly before the word, so that the evidence shows it. */
function excerpt(text: string, at: number): string {
  return text.length <= 200 ? text.trim() : text.slice(Math.max(0, at - 80), at + 120).trim();
}
