/** The number of characters of each literal that the index uses. */
export const KEY_LENGTH = 6;

/** A literal whose key is at a place; the caller checks the rest of it. */
interface KeyMatch {
  readonly literal: string;
  readonly at: number;
}

/** Finds the keys of many literals in one pass over a text, whose time does not depend on how many there are. */
export type LiteralIndex = (text: string, from?: number, to?: number) => readonly KeyMatch[];

/** Each character is shifted out by one of the next five, so that a sum depends on the last few alone. */
const SHIFT = 4;
/** Bits of a sum: enough to keep most sums unused, few enough to keep the table small. */
const BITS = { few: 16, many: 20 };
const MANY = 1000;
const NONE: readonly KeyMatch[] = [];

/**
 * Indexes literals by a part of theirs, six characters long. A sum of the last characters of the text tells the few
 * places worth a closer look.
 */
export function createLiteralIndex(literals: readonly string[], keyOf: (literal: string) => string): LiteralIndex {
  const literalsByKey = new Map<string, string[]>();
  for (const literal of literals) {
    const key = keyOf(literal);
    const others = literalsByKey.get(key);
    if (others === undefined) literalsByKey.set(key, [literal]);
    else others.push(literal);
  }
  const seen = new Uint8Array(literals.length === 0 ? 0 : 1 << (literals.length > MANY ? BITS.many : BITS.few));
  const mask = seen.length - 1;
  for (const key of literalsByKey.keys()) seen[sumOf(key, mask)] = 1;

  return (text, from = 0, to = text.length) => {
    if (to - from < KEY_LENGTH || seen.length === 0) return NONE;
    let found: KeyMatch[] | undefined;
    let sum = 0;
    for (let index = from; index < to; index += 1) {
      sum = ((sum << SHIFT) ^ text.charCodeAt(index)) & mask;
      if (seen[sum] === 0) continue;
      const at = index - KEY_LENGTH + 1;
      if (at < from) continue;
      for (const literal of literalsByKey.get(text.slice(at, index + 1)) ?? []) (found ??= []).push({ literal, at });
    }
    return found ?? NONE;
  };
}

function sumOf(key: string, mask: number): number {
  let sum = 0;
  for (let index = 0; index < KEY_LENGTH; index += 1) sum = ((sum << SHIFT) ^ key.charCodeAt(index)) & mask;
  return sum;
}
