/** A claim an agent makes about its work. */
export type Claim =
  | { readonly claim: "tests-pass"; readonly count?: number }
  | { readonly claim: "committed" | "pushed" | "ci-green" | "no-findings" };

/** Words of a language for claims. Each pattern is linear: no nested repetition, a bounded gap. */
export interface ClaimLexicon {
  /** A sentence with one of these claims that the tests pass. */
  readonly testsPass: readonly RegExp[];
  /** The same for a commit, a push, a green CI, and a linter or type checker without findings. @default none */
  readonly committed?: readonly RegExp[];
  readonly pushed?: readonly RegExp[];
  readonly ciGreen?: readonly RegExp[];
  readonly noFindings?: readonly RegExp[];
  /** A sentence with one of these is a wish, a condition or a denial, not a claim. */
  readonly notClaimed: RegExp;
}

/** Ways to say that something was committed or pushed; "the committed file" and "what you pushed" are none. */
function stepClaims(rest: string, capital: string): readonly RegExp[] {
  const word = `[${capital}${capital.toLowerCase()}]${rest}`;
  return [
    new RegExp(`\\bI(?:['’]ve| have)? (?:(?:also|now|just) )?${word}\\b`),
    new RegExp(
      `\\b(?:changes?|files?|fix|work|it|everything|commits?|branch) (?:is|are|was|were|(?:has|have) been) (?:(?:now|all) )?${word}\\b`,
      "i",
    ),
    new RegExp(
      `^\\W*(?:(?:Done|All done)\\W+)?${capital}${rest}(?=\\W*$|[,:]|\\W+(?:as|to|on|in|and|all|both|with|the) )`,
    ),
  ];
}

/** English words for claims. */
export const englishClaims: ClaimLexicon = {
  testsPass: [
    /\b(?:tests?|specs?|test suite|test cases?|checks)\b.{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) green)\b/i,
    /\bpass(?:es|ed|ing)? (?:all|every|the|its) .{0,20}\btests?\b/i,
  ],
  committed: stepClaims("ommitted", "C"),
  pushed: stepClaims("ushed", "P"),
  ciGreen: [/\b(?:CI|pipeline|workflow run)\b.{0,30}\b(?:green|pass(?:es|ed|ing)?|succeed(?:s|ed)?)\b/i],
  noFindings: [
    /\b(?:lint(?:er|ing)?|eslint|ruff|clippy|markdownlint|vale|prettier|type ?check|tsc|mypy)\b.{0,40}\b(?:clean|pass(?:es|ed)?|0 errors|no (?:errors|issues|findings|warnings))/i,
  ],
  notClaimed:
    /\b(?:should|would|could|will|might|may|must|if|unless|until|once|when|whether|ensure|make sure|verify that|cannot|can't|couldn't|unable|not|never|without|fail(?:s|ed|ing)?|\w+n't)\b|\bno (?!errors|issues|findings|warnings)|\?/i,
};

const MAX_TEXT = 4000;
const MAX_SENTENCES = 60;

/** Returns the claims in the last part of a text. Linear in its length. */
export function readClaims(text: string, lexicon: ClaimLexicon = englishClaims): readonly Claim[] {
  const sentences = text
    .slice(-MAX_TEXT)
    .split(/[.!]+(?=\s|$)|\n+/)
    .slice(-MAX_SENTENCES)
    .filter((sentence) => !lexicon.notClaimed.test(sentence));
  const found = (patterns: readonly RegExp[] = []): string | undefined =>
    sentences.findLast((sentence) => patterns.some((pattern) => pattern.test(sentence)));
  const tests = found(lexicon.testsPass);
  const claims: Claim[] = [];
  if (tests !== undefined) {
    const count = /\b(\d[\d,]*) (?:unit |new |existing )?(?:tests?|specs?)\b/i.exec(tests)?.[1];
    claims.push({ claim: "tests-pass", ...(count !== undefined && { count: Number(count.replaceAll(",", "")) }) });
  }
  if (found(lexicon.committed) !== undefined) claims.push({ claim: "committed" });
  if (found(lexicon.pushed) !== undefined) claims.push({ claim: "pushed" });
  if (found(lexicon.ciGreen) !== undefined) claims.push({ claim: "ci-green" });
  if (found(lexicon.noFindings) !== undefined) claims.push({ claim: "no-findings" });
  return claims;
}
