import { type RunStory, type Tone, type Verification, verificationOf, words } from "@phasekit/ledger/story";
import type { GateRow } from "./gate-rows.ts";
import { costText, duration, percent, plural, sentence } from "./number-text.ts";
import { policyHeading } from "./policy-heading.ts";
import { shownText } from "./shown-text.ts";
import type { Timeline } from "./timeline.ts";

/** One of the three questions that the first screen answers. */
export interface VerdictAnswer {
  readonly question: string;
  /** One to four words. */
  readonly answer: string;
  readonly tone: Tone;
  /** One or two sentences that say why. */
  readonly text: string;
}

/** Answers what a reader asks first: did it finish, is it proven, where did time, tokens and money go? */
export function verdictOf(
  story: RunStory,
  { gates, timeline }: { readonly gates: readonly GateRow[]; readonly timeline: Pick<Timeline, "axis" | "length"> },
): readonly VerdictAnswer[] {
  return [
    { question: "How did it end?", ...endAnswer(story) },
    { question: "Is it proven?", ...provenAnswer(story, gates) },
    { question: "Where did time, tokens and money go?", ...spentAnswer(story, timeline) },
  ];
}

type Answer = Omit<VerdictAnswer, "question">;

function endAnswer(story: RunStory): Answer {
  const { word, tone, text } = words.endingOf(story);
  const work = words.workText(story);
  return {
    answer: capital(word.replaceAll("_", " ")),
    tone,
    text: [text.replace(`${story.reason ?? ""} in `, "in "), ...(work === undefined ? [] : [`changed: ${work}`])]
      .map((part) => sentence(shownText(part, 600)))
      .join(" "),
  };
}

const TONES: Readonly<Record<Verification["verdict"], Tone>> = {
  yes: "good",
  weak: "fair",
  no: "bad",
  unneeded: "plain",
  unknown: "fair",
};

function provenAnswer(story: RunStory, gates: readonly GateRow[]): Answer {
  const rejections = lastByGate(gates).filter(({ verdict }) => verdict === "rejected" || verdict === "reject");
  if (rejections.length > 0)
    return {
      answer: "No",
      tone: "bad",
      text: rejections.map(({ gate, verdict, text }) => `${policyHeading(gate)}: ${text ?? verdict}`).join(" "),
    };
  if (story.state === "running")
    return { answer: "Not yet", tone: "plain", text: "Gates are checked when the agent says it is done." };
  const verification = verificationOf(story);
  return {
    answer: capital(words.verdictText(verification)),
    tone: TONES[verification.verdict],
    text: [sentence(verification.text), ...story.missed].map((text) => shownText(text, 600)).join(" "),
  };
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** A gate may be asked many times; its last verdict counts. */
function lastByGate(gates: readonly GateRow[]): readonly GateRow[] {
  return [...new Map(gates.map((row) => [row.gate, row])).values()];
}

function spentAnswer(story: RunStory, timeline: Pick<Timeline, "axis" | "length">): Answer {
  const { elapsedMs, tokens: used, calls, wasted } = story;
  const cost = words.knownCost(story.usage);
  const isPriced = cost.cost !== undefined || (cost.unpricedCalls > 0 && used !== undefined);
  const sums = [
    elapsedMs === 0 ? "time unknown" : duration(elapsedMs),
    used === undefined ? "tokens unknown" : `${words.tokenText(story) ?? ""} tokens`,
    ...(isPriced ? [cost.cost === undefined ? "cost unknown" : costText(cost)] : []),
  ];
  const waste = calls === 0 ? 0 : wasted.calls / calls;
  const wasteText = words.wasteText(story) ?? (calls === 0 ? "no tool was called" : "no call was wasted");
  return {
    answer: sums.join(" · "),
    tone: waste >= 0.5 ? "bad" : waste >= 0.2 ? "fair" : "plain",
    text: [
      ...shareText(story),
      ...activeText(story, timeline),
      ...(cost.cost !== undefined && cost.unpricedCalls > 0
        ? [`The cost of ${plural(cost.unpricedCalls, "model call")} is unknown.`]
        : []),
      sentence(wasteText),
    ].join(" "),
  };
}

/** The phases with the most tokens, calls or turns. */
function shareText({ phases }: RunStory): readonly string[] {
  const shares = phases
    .filter(({ share }) => share >= 0.05)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ phase, share }) => `${phase} ${percent(share)}`);
  return shares.length === 0 ? [] : [`Most ${phases[0]?.shareOf ?? ""}: ${shares.join(", ")}.`];
}

/** Says how much of the time from start to end was active: an agent may wait for a person. */
function activeText({ elapsedMs }: RunStory, { axis, length }: Pick<Timeline, "axis" | "length">): readonly string[] {
  if (axis !== "time" || elapsedMs === 0 || length < elapsedMs * 1.25) return [];
  return [`Active for ${duration(elapsedMs)} of the ${duration(length)} from start to end.`];
}
