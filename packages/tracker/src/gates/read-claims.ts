/** A claim an agent makes about its work. */
export type Claim = "tests-pass";

/** Words of a language for claims. Each pattern is linear: no nested repetition, a bounded gap. */
export interface ClaimLexicon {
  /** A sentence with one of these claims that the tests pass. */
  readonly testsPass: readonly RegExp[];
  /** A sentence with one of these is a wish, a condition or a denial, not a claim. */
  readonly notClaimed: RegExp;
}

/** English words for claims. */
export const englishClaims: ClaimLexicon = {
  testsPass: [
    /\b(?:tests?|specs?|test suite|test cases?|checks)\b.{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) green)\b/i,
    /\bpass(?:es|ed|ing)? (?:all|every|the|its) .{0,20}\btests?\b/i,
  ],
  notClaimed:
    /\b(?:should|would|could|will|might|may|must|if|unless|until|once|when|whether|ensure|make sure|verify that|cannot|can't|couldn't|unable|not|no|never|without|fail(?:s|ed|ing)?|\w+n't)\b|\?/i,
};

const MAX_TEXT = 4000;
const MAX_SENTENCES = 60;

/** Returns the claims in the last part of a text. Linear in its length. */
export function readClaims(text: string, { testsPass, notClaimed }: ClaimLexicon = englishClaims): readonly Claim[] {
  const sentences = text
    .slice(-MAX_TEXT)
    .split(/[.!\n]+/)
    .slice(-MAX_SENTENCES);
  const claims = (sentence: string): boolean =>
    testsPass.some((pattern) => pattern.test(sentence)) && !notClaimed.test(sentence);
  return sentences.some(claims) ? ["tests-pass"] : [];
}
