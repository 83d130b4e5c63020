import { type RunStory, verdictText, verificationOf, words } from "@phasekit/ledger/story";
import { cleanText, fitText, textWidth } from "../clean-text.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { RunReading } from "../logs/play-items.ts";
import { runSource } from "../logs/run-source.ts";
import type { Terminal } from "../terminal.ts";
import { ago, count, duration, plural, tokens } from "./numbers.ts";
import { phaseLines } from "./phase-line.ts";
import { shortId } from "./short-id.ts";
import { reasonText } from "./reason-text.ts";
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
  /** The cost of the run, as text; absent if it has none. */
  readonly cost?: string | undefined;
}

const LABEL = 10;
/** A tool call may take minutes, during which the log does not grow. */
const LIVE_MS = 5 * 60_000;

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
    fewLines(cleanText(text), width - LABEL).map(
      (part, index) => `  ${index === 0 ? colors.bold(color(label.padEnd(LABEL))) : " ".repeat(LABEL)}${part}`,
    );
  const verification = verificationOf(story);
  const marks = { yes: colors.green, weak: colors.magenta, no: colors.red, unneeded: String, unknown: colors.magenta };
  return [
    ...headline({ about, story }, frame, { colors, width }),
    ...phaseLines(story.phases, { width, colors }).map((text) => `  ${text}`),
    ...(frame.showTask && about.task?.text !== undefined
      ? line("TASK", fitText(about.task.text, 2 * (width - LABEL)))
      : []),
    ...line(
      "ENDED",
      endText({ ending, story }, frame),
      isLive({ ending, story }, frame.now) ? String : isGood(story) ? colors.green : colors.red,
    ),
    ...line("VERIFIED", `${verdictText(verification)}: ${verification.text}`, marks[verification.verdict]),
    ...worstLoops(story).flatMap((loop) => line("LOOP", loopText(loop), colors.magenta)),
    ...(wasteText(story) === undefined ? [] : line("WASTED", wasteText(story) ?? "")),
    ...(frame.cost === undefined ? [] : line("COST", frame.cost)),
    ...(adviceText(story) === undefined ? [] : line("PHASEKIT", adviceText(story) ?? "", colors.cyan)),
    ...(frame.lost > 0
      ? line("SKIPPED", `${plural(frame.lost, "log record")} not recognized; details with --json`, colors.magenta)
      : []),
    ...(isAgent ? [] : footer(story, { colors, width, others: frame.others })),
  ];
}

/** The length of the longest sentence; two lines of a usual terminal. */
const SENTENCE = 136;

/** Wraps a text to the lines that a sentence needs and cuts the rest. */
function fewLines(text: string, width: number): readonly string[] {
  const lines = wrapText(text, width);
  const most = Math.max(2, Math.ceil(SENTENCE / width));
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), fitText(lines.slice(most - 1).join(" "), width)];
}

function headline(
  { about, story }: Pick<RunReading, "about" | "story">,
  { log, title, now }: WhyFrame,
  { colors, width }: { readonly colors: Terminal["colors"]; readonly width: number },
): readonly string[] {
  const measures = [
    ...(story.elapsedMs > 0 ? [duration(story.elapsedMs)] : []),
    plural(story.turns, "turn"),
    plural(story.calls, "call"),
    story.tokens === undefined
      ? "tokens unknown"
      : `${tokens(story.tokens)}${story.usage.unknownCalls > 0 ? "+" : ""} tokens`,
    ...(story.children > 0 ? [plural(story.children, "sub-agent")] : []),
    ...(story.endedAt > 0 ? [ago(Math.max(0, now - story.endedAt))] : []),
  ];
  const name = fitText(
    [runSource(title, about, log), shortId(about.id)].filter((part) => part !== "").join(" · "),
    width,
  );
  const line = measures.join(" · ");
  return textWidth(name) + 3 + textWidth(line) <= width + 2
    ? [`${colors.bold(name)} · ${line}`]
    : [colors.bold(name), ...wrapItems(measures, { width }).map((part) => `  ${part}`)];
}

function endText({ ending, story }: Pick<RunReading, "ending" | "story">, { now }: WhyFrame): string {
  const { reason, phase, state, error } = story;
  const words = ending.status === undefined ? "" : ` (the log says "${ending.status}")`;
  const judged =
    ending.judged === undefined
      ? ""
      : `; judged a ${ending.judged.success ? "success" : "failure"} by ${ending.judged.by}`;
  if (isLive({ ending, story }, now))
    return `not yet: the last event was ${ago(Math.max(0, now - story.endedAt))}, in ${phase}`;
  if (reason === undefined) return `${state} in ${phase}: the log ends without a result${words}${judged}`;
  if (reason === "interrupted" && error === undefined && ending.status !== undefined)
    return `${reason} in ${phase}: the log says "${ending.status}"${judged}`;
  const why =
    reason === "interrupted" && error === undefined
      ? "the log ends before the agent said it was done"
      : (error ??
        reasonText(reason)
          .replace(/\.$/, "")
          .replace(/^./, (letter) => letter.toLowerCase()));
  return `${reason} in ${phase}: ${why}${words}${judged}`;
}

/** True if the run has no end yet and its last event is recent: the agent is probably still working. */
export function isLive(
  { ending, story: { reason, error, endedAt } }: Pick<RunReading, "ending" | "story">,
  now: number,
): boolean {
  const isOpen =
    reason === undefined || (reason === "interrupted" && error === undefined && ending.status === undefined);
  return isOpen && endedAt > 0 && now - endedAt < LIVE_MS;
}

function isGood({ reason, state }: RunStory): boolean {
  return reason === "done" || state === "clean" || state === "success";
}

/** Returns the most expensive loops. */
function worstLoops({ loops }: RunStory, max = 2): RunStory["loops"] {
  return loops.toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0) || b.to - b.from - (a.to - a.from)).slice(0, max);
}

function loopText({ from, to, kind, count: times, what, tokens: spent, open }: RunStory["loops"][number]): string {
  const calls = from === to ? `call ${String(from)}` : `calls ${String(from)}–${String(to)}`;
  const subject = what === "" ? "" : `: ${fitText(words.shortPaths(cleanText(what)), 70)}`;
  const cost = spent === undefined ? "" : ` (≈ ${tokens(spent)} tokens)`;
  const often = times > 1 ? ` ×${count(times)}` : "";
  return `${calls}: ${kind}${often}${subject}${cost}${open ? ", to the end" : ""}`;
}

function wasteText({ wasted, calls, tokens: all }: RunStory): string | undefined {
  if (wasted.calls === 0) return undefined;
  const share =
    wasted.tokens === undefined || wasted.tokens === 0 || all === undefined
      ? ""
      : `, ${tokens(wasted.tokens)} of ${tokens(all)} tokens`;
  return `${count(wasted.calls)} of ${plural(calls, "call")} brought nothing new${share}`;
}

const INTERVENTIONS: Readonly<Record<NonNullable<RunStory["interventions"]["first"]>["what"], string>> = {
  nudge: "sent a nudge",
  refusal: "refused a call",
  veto: "vetoed the finish",
  stop: "stopped the run",
};

function adviceText({ interventions: { first, stop }, calls, tokens: all, mode }: RunStory): string | undefined {
  // An agent without tool calls may have no tools, so advice about them would be wrong.
  if (first === undefined || calls === 0) return undefined;
  const spent = all === undefined || first.tokens === undefined ? "" : ` and ${tokens(all - first.tokens)} tokens`;
  const left = calls - first.call;
  const after = left > 0 ? `, ${plural(left, "call")}${spent} before the end` : "";
  const done = INTERVENTIONS[first.what];
  const ends = stop === undefined || first.what === "stop" ? "" : `; stop at call ${String(stop.call)}`;
  const place = first.call === 0 ? "before the first call" : `at call ${String(first.call)}`;
  return `${mode === "observe" ? "would have " : ""}${done} ${place}${after}: ${first.text}${ends}`;
}

const NEXT = "Next: ";

function footer(
  { reason = "interrupted" }: RunStory,
  { colors, width, others }: { readonly colors: Terminal["colors"]; readonly width: number; readonly others: number },
): readonly string[] {
  const more = others > 0 ? `phasekit runs <log> (${plural(others, "more run")})` : "phasekit runs";
  // "done" needs no explanation.
  const first = reason === "done" ? "phasekit report" : `phasekit explain ${reason}`;
  const commands = [first, more, "phasekit init"];
  const [head = "", ...rest] = wrapItems(commands, { width: width - NEXT.length });
  const next =
    textWidth(head) <= width - NEXT.length
      ? [NEXT + head, ...rest.map((text) => " ".repeat(NEXT.length) + text)]
      : [NEXT.trim(), ...commands];
  return [...next, ...wrapText("Read-only: nothing was changed or sent.", width)].map(
    (text) => `  ${colors.dim(text)}`,
  );
}
