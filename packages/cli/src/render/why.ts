import { type RunEnd, type RunStory, type Tone, verificationOf, words } from "@phasekit/ledger/story";
import { clause, cleanText, fitText, textWidth } from "../clean-text.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { RunReading } from "../logs/play-items.ts";
import { liveTitle } from "../logs/own-runs.ts";
import { runSource } from "../logs/run-source.ts";
import type { SubRun } from "../logs/sub-runs.ts";
import type { Terminal } from "../terminal.ts";
import { ago, duration, plural } from "./numbers.ts";
import { phaseLines } from "./phase-line.ts";
import { branch, titleOfRun } from "./run-title.ts";
import { shortId } from "./short-id.ts";
import { wrapItems, wrapText } from "./wrap-text.ts";

/** The log around a run, for `renderWhy`. */
export interface WhyFrame {
  readonly log: FoundLog;
  /** The display name of the tool. */
  readonly title: string;
  readonly now: number;
  /** The number of log records that were not recognized. */
  readonly lost: number;
  /** The number of other runs in the same log. */
  readonly others: number;
  readonly showTask: boolean;
  /** The runs that it started. @default none */
  readonly subRuns?: readonly SubRun[];
  /** The cost of the run, as text; absent if it has none. */
  readonly cost?: string | undefined;
  /** The cache folder, if this command created it. */
  readonly newCache?: string | undefined;
}

const LABEL = 10;

/** Explains in about ten lines why a run stopped. */
export function renderWhy(
  { about, ending, story }: RunReading,
  frame: WhyFrame,
  terminal: Terminal,
): readonly string[] {
  const { colors, columns, isAgent } = terminal;
  const width = columns - 2;
  const line = (label: string, text: string, color: (text: string) => string = String): readonly string[] =>
    // Bold, because plain red and cyan are faint on some backgrounds.
    wrapText(cleanText(text), width - LABEL).map(
      (part, index) => `  ${index === 0 ? colors.bold(color(label.padEnd(LABEL))) : " ".repeat(LABEL)}${part}`,
    );
  const optional = (label: string, text: string | undefined, color?: (text: string) => string): readonly string[] =>
    text === undefined ? [] : line(label, text, color);
  const verification = verificationOf(story);
  const marks = { yes: colors.green, weak: colors.magenta, no: colors.red, unneeded: String, unknown: colors.magenta };
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colors.green,
    plain: String,
    fair: colors.magenta,
    bad: colors.red,
  };
  const { loopText, wasteText, interventionText } = words;
  const end = endOf({ ending, story }, frame);
  return [
    ...headline({ about, ending, story }, frame, { colors, width }),
    ...phaseLines(story.phases, { width, colors }).map((text) => `  ${text}`),
    ...(frame.showTask && about.task?.text !== undefined
      ? line("TASK", fitText(about.task.text, 2 * (width - LABEL)))
      : []),
    ...line("ENDED", end.text, tones[end.tone]),
    ...line(
      "VERIFIED",
      `${words.verdictText(verification)}: ${clause(verification.text)}`,
      marks[verification.verdict],
    ),
    ...story.missed.flatMap((text) => line("NOTE", text, colors.magenta)),
    ...optional("CHANGED", changedText(story)),
    ...worstLoops(story).flatMap((loop) => line("LOOP", loopText(loop), colors.magenta)),
    ...story.waits.slice(0, 1).flatMap((wait) => line("WAITED", loopText(wait))),
    ...optional("WASTED", wasteText(story)),
    ...optional("COST", frame.cost),
    ...subRunLines(frame, { width: width - LABEL }).flatMap((text, index) => line(index === 0 ? "BELOW" : "", text)),
    ...optional("PHASEKIT", wholeSentences(interventionText(story)), colors.cyan),
    ...(frame.lost > 0
      ? line("SKIPPED", `${plural(frame.lost, "log record")} not recognized; details with --json`, colors.magenta)
      : []),
    ...(isAgent ? [] : footer(story, { colors, width, frame, live: end.live })),
  ];
}

/** The end of a run in words, with what its log adds. */
export function endOf(
  { ending, story }: Pick<RunReading, "ending" | "story">,
  { log: { isRunning }, now }: Pick<WhyFrame, "log" | "now">,
): RunEnd {
  return words.endingOf(story, { ...ending, ...(isRunning !== undefined && { isRunning }) }, now);
}

/** Lines for sub-runs; more of them are summed up. */
const MAX_SUB_RUNS = 8;

/** A line per run that this one started, indented below the run that started it. */
function subRunLines({ subRuns = [], ...frame }: WhyFrame, { width }: { readonly width: number }): readonly string[] {
  const shown = subRuns.slice(0, MAX_SUB_RUNS).map(({ reading, depth }) => {
    const { story } = reading;
    const measures = [
      plural(story.calls, "call"),
      `${words.tokenText(story) ?? "?"} tokens`,
      endOf(reading, frame).word,
    ].join(" · ");
    const title = titleOfRun(reading) || shortId(reading.about.id);
    return `${branch(depth)}${fitText(title, Math.max(12, width - measures.length - 3 - 2 * depth))} · ${measures}`;
  });
  const rest = subRuns.length - shown.length;
  return rest === 0 ? shown : [...shown, `and ${String(rest)} more; see phasekit runs`];
}

/** Renders the changes and the checks. A run that only ran checks changed no file. */
function changedText(story: RunStory): string | undefined {
  const text = words.workText(story);
  return text === undefined || story.work.files > 0 ? text : `no file; ${text}`;
}

/** Characters of the interventions. */
const ADVICE = 240;

/** Leaves out the last sentences of a long text, never a part of one: the page has the whole. */
function wholeSentences(text: string | undefined): string | undefined {
  const [first = "", ...rest] = text?.split(/(?<=[.!?]) (?=[A-Z`"])/) ?? [];
  let shown = first;
  for (const sentence of rest) {
    if (shown.length + sentence.length >= ADVICE) break;
    shown = `${shown} ${sentence}`;
  }
  return text === undefined ? undefined : shown;
}

function headline(
  reading: RunReading,
  { log, title, now }: WhyFrame,
  { colors, width }: { readonly colors: Terminal["colors"]; readonly width: number },
): readonly string[] {
  const { about, story } = reading;
  const used = words.tokenText(story);
  const measures = [
    ...(story.elapsedMs > 0 ? [duration(story.elapsedMs)] : []),
    plural(story.turns, "turn"),
    plural(story.calls, "call"),
    used === undefined ? "tokens unknown" : `${used} tokens`,
    ...(story.children > 0 ? [plural(story.children, "sub-agent")] : []),
    ...(story.endedAt > 0 ? [ago(Math.max(0, now - story.endedAt))] : []),
  ];
  // The id of a live session says less than what it is about.
  const what = (liveTitle(log) === undefined ? "" : titleOfRun(reading)) || shortId(about.id);
  const name = fitText([runSource(title, about, log), what].filter((part) => part !== "").join(" · "), width);
  const line = measures.join(" · ");
  return textWidth(name) + 3 + textWidth(line) <= width + 2
    ? [`${colors.bold(name)} · ${line}`]
    : [colors.bold(name), ...wrapItems(measures, { width }).map((part) => `  ${part}`)];
}

/** Returns the most expensive loops. */
function worstLoops({ loops }: RunStory, max = 2): RunStory["loops"] {
  return loops.toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0) || b.to - b.from - (a.to - a.from)).slice(0, max);
}

const NEXT = "Next: ";

function footer(
  { reason = "interrupted" }: RunStory,
  {
    colors,
    width,
    frame: { others, log, newCache },
    live,
  }: {
    readonly colors: Terminal["colors"];
    readonly width: number;
    readonly frame: Pick<WhyFrame, "others" | "log" | "newCache">;
    readonly live: boolean;
  },
): readonly string[] {
  const from = log.store === undefined ? "" : " --db";
  const more = others > 0 ? `phasekit runs <log> (${plural(others, "more run")})` : `phasekit runs${from}`;
  // "done" needs no explanation, and a run that is live has no end yet.
  const first = live ? "phasekit watch" : reason === "done" ? `phasekit report${from}` : `phasekit explain ${reason}`;
  const commands = [first, more, "phasekit init"];
  const [head = "", ...rest] = wrapItems(commands, { width: width - NEXT.length });
  const next =
    textWidth(head) <= width - NEXT.length
      ? [NEXT + head, ...rest.map((text) => " ".repeat(NEXT.length) + text)]
      : [NEXT.trim(), ...commands];
  // Said once: the cache is new once.
  const written =
    newCache === undefined
      ? []
      : wrapText(`Read-only: nothing was sent, and only a cache was written, ${newCache}.`, width);
  return [...next, ...written].map((text) => `  ${colors.dim(text)}`);
}
