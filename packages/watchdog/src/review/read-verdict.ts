import type { ReviewVerdict } from "@phasekit/core/adapter";

type Verdict = ReviewVerdict["verdict"];

/**
 * Reads the verdict of a model: of JSON, of a line that is labelled as the verdict, of the first line, or the last one
 * that the prose names. An approval that is denied, or that depends on something, is none. An answer without a verdict
 * is advice, and JSON that cannot be read says nothing: both count as "needs changes".
 */
export function readVerdict(answer: string): ReviewVerdict {
  const text = answer.trim();
  if (JSON_LIKE.test(text))
    return readJson(text) ?? { verdict: "needs-changes", ...(text !== "" && { feedback: text }) };
  const lines = text.split("\n");
  const labelled = lines.findLastIndex((line) => LABEL.test(line) && verdictIn(line) !== undefined);
  const at = labelled >= 0 ? labelled : isHeading(lines[0] ?? "") ? 0 : -1;
  const named = verdictIn(at < 0 ? text : (lines[at] ?? ""));
  const feedback = at < 0 ? text : [...lines.slice(0, at), behindVerdict(lines[at] ?? ""), ...lines.slice(at + 1)];
  const said = typeof feedback === "string" ? feedback : feedback.join("\n").trim();
  return { verdict: named ?? "needs-changes", ...(said !== "" && { feedback: said }) };
}

/** An object, alone, in a fence, or with its first member in view. */
const JSON_LIKE = /^(?:```(?:json)?\s*)?\{|```json|\{\s*"(?:verdict|status)"/;

function readJson(text: string): ReviewVerdict | undefined {
  try {
    const { verdict, status, feedback } = JSON.parse(
      text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1),
    ) as Readonly<Record<string, unknown>>;
    const word = verdict ?? status;
    const found = typeof word === "string" ? verdictIn(word) : undefined;
    return found && { verdict: found, ...(typeof feedback === "string" && { feedback }) };
  } catch {
    return undefined;
  }
}

const WORDS = new RegExp(
  "\\b(?:approv(?:e[ds]?|al|ing)|lgtm|needs?[ _-]changes|changes (?:are )?(?:needed|required|requested)|" +
    "reject(?:ed|s|ing)?|abandon(?:ed)?)\\b",
  "gi",
);
const LABEL = /^\W*(?:\w+ ){0,2}(?:verdict|status|decision)\b\W*(?:is\W*)?[:=\W]/i;
/** Words before an approval that take it back or make it depend on something, in the same clause. */
const DENIED = new RegExp(
  "(?:\\b(?:not|cannot|never|no|unable|refuse|decline|withhold|without|before|until|unless|if|once|would|could|" +
    "should|might|instead of|rather than)\\b|n[’']t\\b)[^.!?;\\n]{0,40}$",
  "i",
);

/** The last verdict a text names. A denied approval asks for changes, a denied rejection says nothing. */
function verdictIn(text: string): Verdict | undefined {
  let found: Verdict | undefined;
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    const verdict = verdictOf(word);
    const isDenied =
      DENIED.test(text.slice(Math.max(0, index - 80), index)) || isConditional(text.slice(index + word.length));
    if (!isDenied) found = verdict;
    else if (verdict === "approve") found = "needs-changes";
  }
  return found;
}

function verdictOf(word: string): Verdict {
  if (/^(?:approv|lgtm)/i.test(word)) return "approve";
  return /^(?:reject|abandon)/i.test(word) ? "reject" : "needs-changes";
}

/** True if the words behind an approval make it depend on something: "approved, provided that …". */
function isConditional(behind: string): boolean {
  return /^[^.!?;\n]{0,30}\b(?:if|once|unless|provided|as long as|after you|only when)\b/i.test(behind);
}

/** True if a line is a verdict and no sentence that names one: the word comes first. */
function isHeading(line: string): boolean {
  const [{ index } = { index: -1 }] = line.matchAll(WORDS);
  return index >= 0 && !/[a-z]/i.test(line.slice(0, index));
}

/** The rest of a line with a verdict: what is said behind it. */
function behindVerdict(line: string): string {
  const last = [...line.matchAll(WORDS)].at(LABEL.test(line) ? -1 : 0);
  return last === undefined ? line : line.slice(last.index + last[0].length).replace(/^[\s:.=*#,–—-]+/, "");
}
