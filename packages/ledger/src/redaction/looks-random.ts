/** True if a text has a run of letters and digits that changes between their kinds as chance does, and words do not. */
export function looksRandom(text: string): boolean {
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && kindOf(text.charCodeAt(at)) !== 0) continue;
    if (at - start >= MIN_RUN && isRandomRun(text, start, at)) return true;
    start = at + 1;
  }
  return false;
}

/** True if one run of letters and digits changes like that. */
export function isRandomRun(text: string, start: number, end: number): boolean {
  let switches = 0;
  let digits = 0;
  let hex = true;
  let last = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    if (at > start && kind !== last) switches += 1;
    if (kind === DIGIT) digits += 1;
    else if (hex && !isHexLetter(code)) hex = false;
    last = kind;
  }
  return isChance({ length: end - start, switches, digits, hex });
}

/** A shorter run between hyphens says nothing. */
const MIN_RUN = 10;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;

interface Run {
  readonly length: number;
  readonly switches: number;
  readonly digits: number;
  readonly hex: boolean;
}

function isChance({ length, switches, digits, hex }: Run): boolean {
  if (hex && length >= 16) return digits > 1 && digits < length && switches >= 3;
  // Digits in more than one place; or capitals in the middle of what would be words.
  if (digits > 0) return switches >= Math.max(3, length * 0.25);
  return length >= 16 && switches >= length * 0.36;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return SMALL;
  if (code >= 65 && code <= 90) return CAPITAL;
  return code >= 48 && code <= 57 ? DIGIT : 0;
}

function isHexLetter(code: number): boolean {
  return (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}
