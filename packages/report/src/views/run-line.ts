import type { RunSummary } from "@phasekit/ledger";
import { type KnownCost, type RunStory, type Tone, verificationOf, words } from "@phasekit/ledger/story";
import { shownText } from "./shown-text.ts";

/** Members of a run that only the caller knows. */
export interface RunAbout {
  /** The display name of the tool that wrote the log. */
  readonly tool?: string | undefined;
  readonly project?: string | undefined;
}

/** One run as a row of the table of runs. */
export interface RunLine extends KnownCost {
  readonly run: string;
  /** The run that started this one. */
  readonly parent?: string;
  readonly title: string;
  readonly state: RunSummary["state"];
  readonly reason?: string;
  /** The end in two or three words, and how good it is. */
  readonly word: string;
  readonly tone: Tone;
  /** How well the work is backed by evidence; absent if nothing was to be checked, or nothing is known yet. */
  readonly grade?: string;
  readonly startedAt: number;
  readonly elapsed: number;
  readonly events: number;
  /** The phase entries and their shares of the active time, for a bar. */
  readonly phases: readonly { readonly phase: string; readonly share: number; readonly failed: boolean }[];
  /** Absent until the events of the run are read. */
  readonly loops?: number;
  readonly calls: number;
  readonly wastedCalls: number;
  readonly tokens?: number;
  /** The models of the run, in order of their first answer; absent if they are not known. */
  readonly models?: readonly string[];
  /** The display name of the tool that wrote the log. */
  readonly tool?: string;
  readonly project?: string;
}

/** The story of a run as one row. */
export function runLine(summary: RunSummary, story: RunStory): RunLine {
  const { reason, state, elapsedMs, loops, calls, wasted, tokens, usage, models } = story;
  const verification = verificationOf(story);
  const names = [...new Set(models.map(({ model }) => model))].filter((model) => model !== "");
  return {
    ...headOf(summary),
    ...(story.title !== undefined && { title: story.title }),
    state,
    ...words.endWord({ state, verification, ...(reason !== undefined && { reason }) }),
    ...(verification.grade !== undefined && { grade: verification.grade }),
    elapsed: elapsedMs,
    loops: loops.length,
    calls,
    wastedCalls: wasted.calls,
    ...(tokens !== undefined && { tokens }),
    ...words.knownCost(usage),
    ...(names.length > 0 && { models: names.slice(0, MAX_MODELS).map((model) => shownText(model, 60)) }),
  };
}

const MAX_MODELS = 5;
const MAX_ABOUT = 60;

/** The members of a row that only the caller knows. */
export function aboutLine({ tool = "", project = "" }: RunAbout): Pick<RunLine, "tool" | "project"> {
  return {
    ...(tool !== "" && { tool: shownText(tool, MAX_ABOUT) }),
    ...(project !== "" && { project: shownText(project, MAX_ABOUT) }),
  };
}

/** The tool, the project and the models of a run in a few words; empty if none is known. */
export function aboutText({ tool, project, models = [] }: Pick<RunLine, "tool" | "project" | "models">): string {
  return [tool, project, models.join(", ")].filter((part) => part !== undefined && part !== "").join(" · ");
}

/** A row for a run whose events are not read yet: what only its story tells is missing. */
export function summaryLine(summary: RunSummary): RunLine {
  const { phases, elapsed, state, reason, usage } = summary;
  const sum = (read: (record: (typeof phases)[number]) => number): number =>
    phases.reduce((all, record) => all + read(record), 0);
  return {
    ...headOf(summary),
    ...words.endWord({ state, ...(reason !== undefined && { reason }) }),
    elapsed,
    calls: sum(({ aggregates }) => aggregates.total.metric.toolCalls),
    wastedCalls: sum(({ wasted }) => wasted?.calls ?? 0),
    ...words.knownCost(usage),
  };
}

/** A key that sorts runs by their outcome, the best first. */
export function outcomeKey({ tone, word }: Pick<RunLine, "tone" | "word">): string {
  return `${String(TONES.indexOf(tone))} ${word}`;
}

const TONES: readonly Tone[] = ["good", "plain", "fair", "bad"];

type Head = "run" | "parent" | "title" | "state" | "reason" | "startedAt" | "events" | "phases";

function headOf(summary: RunSummary): Pick<RunLine, Head> {
  const { run, parent, state, startedAt, seq, reason } = summary;
  return {
    run,
    ...(parent !== undefined && { parent: parent.run }),
    title: titleOf(summary),
    state,
    ...(reason !== undefined && { reason }),
    startedAt,
    events: seq,
    phases: sharesOf(summary),
  };
}

function titleOf({ task, run }: RunSummary): string {
  return words.titleOfPrompt(task?.text ?? "") ?? shownText(task?.id ?? run, 120);
}

/** Shares by time, or by events if the log has no timestamps. */
function sharesOf({ phases, elapsed }: RunSummary): RunLine["phases"] {
  const weigh = (record: RunSummary["phases"][number]): number =>
    elapsed > 0 ? record.elapsed : record.lastSeq - record.firstSeq + 1;
  const all = phases.reduce((sum, record) => sum + weigh(record), 0);
  return phases.map((record) => ({
    phase: record.phase,
    share: all === 0 ? 1 / phases.length : weigh(record) / all,
    failed: !record.success,
  }));
}
