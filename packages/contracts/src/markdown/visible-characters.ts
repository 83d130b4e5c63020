import { decodeNamedCharacterReference } from "decode-named-character-reference";

/** A character reference as CommonMark defines it: bounded, so that a run of `&` costs nothing. */
const REFERENCE = /&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});/g;

/** Invisible characters: controls, format characters, fillers, unassigned and private ones, the Braille blank. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2800\ufffc\u{1d159}]|(?![\t\n\r])\p{Cc}/gu;

/** Marks beyond the second on one letter: a pile of accents is not text. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;

/** Replaces `&amp;`, `&#8203;` and the like by the characters they stand for. */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole: string, name: string) => {
    if (!name.startsWith("#")) return decodeNamedCharacterReference(name) || whole;
    const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Drops what draws nothing and collapses white space; keeps line ends. */
export function keepVisible(text: string): string {
  if (isPlain(text)) return text;
  return text
    .replace(INVISIBLE, "")
    .replace(PILED_MARKS, "$1")
    .replace(/[^\S\n]+/gu, " ")
    .replace(/(?: ?\n)+ ?/g, "\n");
}

/** Visible ASCII with single spaces: most short lines are, and there is nothing to drop. */
function isPlain(text: string): boolean {
  let before = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || (code === 0x20 && before === 0x20)) return false;
    before = code;
  }
  return true;
}

/** The number of characters a reader sees: code points, white space counted once. */
export function visibleLength(text: string): number {
  const kept = keepVisible(text).trim();
  let length = 0;
  for (let index = 0; index < kept.length; index += 1) {
    // The second half of a pair is not a character of its own.
    const unit = kept.charCodeAt(index);
    if (unit < 0xdc_00 || unit > 0xdf_ff) length += 1;
  }
  return length;
}
