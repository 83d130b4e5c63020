import { isObject, type ReviewVerdict } from "@phasekit/core/adapter";

type Verdict = ReviewVerdict["verdict"];

/**
 * Reads the verdict of a model: of JSON, of a line that is labelled as the verdict, of the first line, or the last one
 * that the prose states. A verdict is stated by a sentence that begins with it or in which the reviewer gives it ("I
 * approve", "this is approved"); one that is only mentioned, denied, asked for, or made to depend on something is not.
 * Everything else is advice, and counts as "needs changes": a missed approval costs a round, a false one the run.
 */
export function readVerdict(answer: string): ReviewVerdict {
  const text = answer.trim();
  if (JSON_LIKE.test(text)) return readJson(text) ?? withFeedback("needs-changes", text);
  const meant = withoutForeign(text);
  const lines = meant.split("\n");
  const labelled = lines.findLastIndex((line) => LABEL.test(line) && statedIn(line.replace(LABEL, "")) !== undefined);
  const at = labelled >= 0 ? labelled : isHeading(lines[0] ?? "") ? 0 : -1;
  const line = lines[at] ?? "";
  if (at < 0) return withFeedback(statedIn(meant, "last") ?? "needs-changes", text);
  const said = [...lines.slice(0, at), behindVerdict(line), ...lines.slice(at + 1)].join("\n").trim();
  return withFeedback(statedIn(line.replace(LABEL, "")) ?? "needs-changes", said);
}

function withFeedback(verdict: Verdict, feedback: string): ReviewVerdict {
  return { verdict, ...(feedback !== "" && { feedback }) };
}

/** An object, alone, in a fence, or with its first member in view. */
const JSON_LIKE = /^(?:```(?:json)?\s*)?[{[]\s*["{]|^\{|```json|\{\s*"(?:verdict|status|decision)"/i;

function readJson(text: string): ReviewVerdict | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
  if (!isObject(parsed)) return undefined;
  const texts = Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === "string" ? [{ name: name.toLowerCase(), value: value.trim() }] : [],
  );
  const word = texts.find(({ name }) => JSON_NAMES.includes(name));
  const verdict = word && statedIn(word.value);
  if (verdict === undefined) return undefined;
  const said = texts.find(({ name }) => name === "feedback") ?? {
    value: texts.flatMap((member) => (member === word ? [] : [member.value])).join("\n"),
  };
  return withFeedback(verdict, said.value);
}

const JSON_NAMES = ["verdict", "status", "decision"];

/** A text without the parts its writer does not say: quotes, options without a tick, words that are struck out. */
function withoutForeign(text: string): string {
  const kept = text
    .replace(/~~[^~\n]*~~/g, "")
    .split("\n")
    .filter((line) => !/^\s*(?:>|(?:[-*]\s*)?\[ ?\])/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*]\s*)?\[x\]\s*/i, ""));
  // A label may be a heading of its own.
  return kept
    .join("\n")
    .replace(/^([^\w\n]*(?:\w+ ){0,2}(?:verdict|status|decision|answer)[^\w\n]*)\n\s*(?=\S)/gim, "$1: ")
    .trim();
}

const WORD =
  "(?:approv(?:ed?|al)|lgtm|needs?[ _-]changes|changes[ _](?:are )?(?:needed|required|requested)|" +
  "reject(?:ed)?|abandon(?:ed)?)";
const LABEL = /^\W*(?:\w+ ){0,2}(?:verdict|status|decision|answer)\b\W*(?:is\W*)?(?<=[:=>*#–—-]\s*|is\W*)/i;
/** The beginning of a clause, or the reviewer or the work as the subject of a verdict. */
const SUBJECT = "^|[,:–—-]|\\b(?:but|and|is)\\b|\\b(?:I|we)(?: (?:hereby|do|can|fully|therefore|must))*";
const STATED = new RegExp(`(?:${SUBJECT})[^\\p{L}\\p{N}]{0,20}(?<word>${WORD})\\b(?! of\\b)`, "giu");
const CROSS = "[❌✗✘👎]";
/** Words before a verdict that take it back or make it depend on something, in the same sentence. */
const DENIED = new RegExp(
  "(?:\\b(?:not|cannot|never|no|nothing|none|neither|unable|refuse|decline|withhold|without|before|until|unless|if|" +
    `once|would|could|should|might|instead of|rather than)\\b|n[’']t\\b|${CROSS})[^\\n]{0,60}$`,
  "iu",
);
/** Words behind a verdict that do. */
const TAKEN_BACK = new RegExp(
  `^(?:${[
    // A question, a cross, an alternative.
    `[^\\p{L}\\p{N}\\n]*(?:\\?|${CROSS})`,
    "\\s*[/|→]",
    // A "no" without an object: "approved: no", and not "approved: no remarks".
    "\\W*(?:\\w+ )?(?:no|not|nothing|false|denied|refused|withheld)\\b\\s*(?:[,.;!:)–—-]|here|$)",
    // A verb of which the verdict is the subject: "approve is wrong".
    "\\s+(?:or|nor|is|was|are|were|makes?|would|nothing|none|neither)\\b",
    "[^.!;\\n]{0,30}\\b(?:if|once|unless|provided|as long as|after you|only)\\b",
  ].join("|")})`,
  "iu",
);
/** Characters before and behind a verdict that can take it back. */
const NEAR = 80;

/** The verdict a text states: the first one, or the last. A denied approval asks for changes. */
function statedIn(text: string, which: "first" | "last" = "first"): Verdict | undefined {
  const found: Verdict[] = [];
  for (const { 0: sentence, index: start } of text.matchAll(/[^.!?;\n]+[.!?;]*/g))
    for (const { groups, 0: match, index } of sentence.matchAll(STATED)) {
      const word = groups?.["word"] ?? "";
      const end = index + match.length;
      const verdict = verdictOf(word);
      const before = sentence.slice(Math.max(0, end - word.length - NEAR), end - word.length);
      // The next sentence is read too: "Approve? No."
      const behind = text.slice(start + end, start + end + NEAR);
      const denied = DENIED.test(before) || TAKEN_BACK.test(behind);
      if (!denied && !(verdict === "reject" && isAdvice(match, behind))) found.push(verdict);
      else if (verdict === "approve") found.push("needs-changes");
    }
  return which === "first" ? found[0] : found.at(-1);
}

/** True if a rejection is about something else than the work: "Abandon the fetch". */
function isAdvice(match: string, behind: string): boolean {
  return !/^\P{L}*\b(?:I|we|is)\b/iu.test(match) && /^\s+(?!(?:this|it)\b)\p{L}/iu.test(behind);
}

function verdictOf(word: string): Verdict {
  if (/^(?:approv|lgtm)/i.test(word)) return "approve";
  return /^(?:reject|abandon)/i.test(word) ? "reject" : "needs-changes";
}

const BEGINS = new RegExp(`^[^\\p{L}\\p{N}]*${WORD}\\b(?=[^\\p{L}\\p{N}]*$|\\s*[:.,;!=*–—-])`, "iu");

/** True if a line is a verdict and not a sentence that names one. */
function isHeading(line: string): boolean {
  return BEGINS.test(line);
}

/** The rest of a line with a verdict: the part behind it. */
function behindVerdict(line: string): string {
  const value = line.replace(LABEL, "");
  const [found] = value.matchAll(new RegExp(WORD, "gi"));
  return found === undefined
    ? value
    : value.slice(found.index + found[0].length).replace(/^(?:<\/\w+>|[\s:.=*#,–—-])+/, "");
}
