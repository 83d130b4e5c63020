/** Numbers from a seed: the same list every time, and never a real secret. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";

const WORDS = (
  "amber anchor basket beacon bottle candle canyon carbon castle cobalt copper cotton dragon eagle ember falcon forest " +
  "garden ginger harbor hazel island jacket kettle ladder lantern lemon magnet maple meadow mirror needle orchid pepper " +
  "planet pocket quartz rabbit ribbon river saddle silver spider summer tiger tunnel velvet violet walnut winter yellow"
).split(" ");

/** Texts as issuers of secrets make them. */
export interface SecretMaker {
  readonly random: () => number;
  readonly letters: (length: number) => string;
  readonly lower: (length: number) => string;
  readonly upper: (length: number) => string;
  readonly digits: (length: number) => string;
  /** Letters and digits. */
  readonly word: (length: number) => string;
  /** Small letters and digits. */
  readonly lowerWord: (length: number) => string;
  /** Capitals and digits. */
  readonly upperWord: (length: number) => string;
  readonly hex: (length: number) => string;
  /** Letters, digits, underscores and hyphens. */
  readonly url: (length: number) => string;
  readonly base64: (bytes: number) => string;
  readonly uuid: () => string;
  /** As people choose them: a word, digits, a sign. */
  readonly password: () => string;
  /** Two or three words and nothing else. */
  readonly passphrase: () => string;
  readonly mnemonic: (words: number) => string;
}

export function createSecretMaker(seed: number): SecretMaker {
  const random = seededRandom(seed);
  const pick = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] ?? "").join("");
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const anyWord = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? "";
  return {
    random,
    letters: (length) => pick(LOWER + UPPER, length),
    lower: (length) => pick(LOWER, length),
    upper: (length) => pick(UPPER, length),
    digits: (length) => pick(DIGITS, length),
    word: (length) => pick(LOWER + UPPER + DIGITS, length),
    lowerWord: (length) => pick(LOWER + DIGITS, length),
    upperWord: (length) => pick(UPPER + DIGITS, length),
    hex: (length) => pick("0123456789abcdef", length),
    url: (length) => pick(`${LOWER}${UPPER}${DIGITS}_-`, length),
    base64: (length) => bytes(length).toString("base64"),
    uuid: () =>
      bytes(16)
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    password: () => `${anyWord()}${pick(UPPER, 1)}${pick(DIGITS, 3)}${pick("!#%^*+", 1)}${pick(LOWER, 3)}`,
    passphrase: () => `${anyWord()}${anyWord()}${anyWord()}`,
    mnemonic: (words) => Array.from({ length: words }, anyWord).join(" "),
  };
}
