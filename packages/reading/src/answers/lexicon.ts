/**
 * Words by which an answer, a task or a message says what it is. Every entry is lower case. The words of answers are
 * looked up as a part of the text, so "fail" finds "failed" and "failure"; those of users are whole words. Give
 * `reading({ lexicon })` and `expectations({ lexicon })` another one for another language.
 */
export interface Lexicon {
  /** The call did not work. */
  readonly failure: readonly string[];
  /** The call worked and found nothing. */
  readonly nothing: readonly string[];
  /** The answer is not there yet. */
  readonly pending: readonly string[];
  /** Whole words by which a user asks for the same call many times. */
  readonly repetition: readonly string[];
  /** Whole words by which a user asks for the same thing for many items. */
  readonly series: readonly string[];
  /** First words of a sentence with which a user asks for a change. */
  readonly change: readonly string[];
  /** First words of a task with which a user asks for an answer: a question, a review, a plan. */
  readonly question: readonly string[];
  /** Words before these that say nothing. */
  readonly courtesy: readonly string[];
}

/** The words of English tools. */
export const englishLexicon: Lexicon = {
  failure: [
    "error",
    "fail",
    "exception",
    "traceback",
    "not found",
    "no such",
    "cannot",
    "invalid",
    "denied",
    "unable",
    "undefined",
    "usage:",
    "unknown",
    "refused",
    "missing",
  ],
  nothing: ["no matches", "no results", "no files", "nothing", "0 results", "0 matches", "none found"],
  pending: ["pending", "in progress", "in_progress", "queued", "still ", "not ready", "waiting", "processing"],
  repetition: [
    "times",
    "until",
    "watch",
    "monitor",
    "poll",
    "keep checking",
    "keep an eye",
    "repeatedly",
    "in a loop",
    "tell me when",
  ],
  series: ["each", "every", "one by one", "one at a time", "which of", "all of", "any of"],
  change: words(
    "fix add implement change refactor write create update remove delete make rename move build replace convert " +
      "migrate upgrade extend improve rewrite correct solve resolve apply edit install set use",
  ),
  question: words(
    "what why how which where when who is are does do did explain review describe summarize summarise analyze " +
      "analyse list find compare audit inspect assess evaluate plan outline design investigate read tell give show",
  ),
  courtesy: words("please hi hello hey can could would you i want need to the a now then also first just let s us"),
};

function words(text: string): readonly string[] {
  return text.split(" ");
}
