import type { Reason } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { stateOf, type TerminalState } from "../state-of-run.ts";
import { ago } from "../words/numbers.ts";
import { reasonText } from "../words/reason-text.ts";
import type { RunStory } from "./run-story.ts";
import { type Verification, verificationOf } from "./verification.ts";

/** How good the news is: a color, and never the only carrier of the message. */
export type Tone = "good" | "plain" | "fair" | "bad";

/** Notes of a log about the end of its run. */
export interface EndNotes {
  /** True if the log just stops, in the middle of the work. */
  readonly open?: boolean;
  /** The tool's own words for the end. Foreign text. */
  readonly status?: string;
  /** The verdict of a benchmark or grader on the result. */
  readonly judged?: { readonly success: boolean; readonly by: string };
  /** False if the process of the run is known to be gone. */
  readonly isRunning?: boolean;
}

/** The end of a run in words: the same for every output. */
export interface RunEnd {
  /** True if the run is being written now. It is a status, and never an end. */
  readonly live: boolean;
  /** Two or three words for lists: "done, supported". */
  readonly word: string;
  readonly tone: Tone;
  /** One sentence without a capital letter or a full stop. Contains foreign text. */
  readonly text: string;
}

/** A tool call may take minutes, during which a log does not grow. */
const LIVE_MS = 5 * 60_000;

/** Tells how a run ended. Without a time a run that has no end counts as interrupted. */
export function endingOf(story: RunStory, notes: EndNotes = {}, now?: number): RunEnd {
  const { reason, phase, state, error, endedAt } = story;
  const isAway = now === undefined || notes.isRunning === false || endedAt <= 0 || now - endedAt >= LIVE_MS;
  const live = state === "running" || ((reason === undefined || notes.open === true) && error === undefined && !isAway);
  if (live) {
    const since = now === undefined ? "it is working" : `the last event was ${ago(Math.max(0, now - endedAt))}`;
    return { live, word: "live now", tone: "plain", text: `not yet: ${since}, in ${phase}` };
  }
  const { status, judged } = notes;
  const said = status === undefined ? "" : ` (the log says "${status}")`;
  const result = judged === undefined ? "" : `; judged a ${judged.success ? "success" : "failure"} by ${judged.by}`;
  const why = error ?? (isCut(story, notes) ? "the log stops in the middle of the work" : lower(reasonOf(reason)));
  return {
    live,
    ...endWord({ state, verification: verificationOf(story), ...defined({ reason }) }),
    text: `${reason ?? state} in ${phase}: ${why}${said}${result}`,
  };
}

const isCut = ({ reason }: RunStory, { open }: EndNotes): boolean => reason === undefined || open === true;

const reasonOf = (reason: Reason | undefined): string => (reason === undefined ? "" : reasonText(reason));

const lower = (text: string): string => text.replace(/\.$/, "").replace(/^./, (letter) => letter.toLowerCase());

/** Names the end of a run for lists: its reason, and for `done` how well it is backed. */
export function endWord({
  reason,
  state = stateOf({ reason, verified: undefined, alive: false, record: undefined }),
  verification,
}: {
  readonly reason?: Reason;
  /** @default the state of a run of which only the reason is known */
  readonly state?: TerminalState;
  /** Absent if the events of the run were not read. */
  readonly verification?: Verification;
}): Pick<RunEnd, "word" | "tone"> {
  if (state === "running") return { word: "live now", tone: "plain" };
  if (reason === undefined) return { word: state, tone: "bad" };
  if (reason === "done") {
    const { verdict, grade = verdict === "unneeded" ? "not needed" : undefined } = verification ?? {};
    const tone = verdict === "yes" ? "good" : verdict === "weak" || verdict === "no" ? "fair" : "plain";
    return { word: grade === undefined ? reason : `${reason}, ${grade}`, tone };
  }
  const isFair = state === "partial" || state === "success" || state === "clean";
  return { word: reason, tone: isFair ? "fair" : "bad" };
}
