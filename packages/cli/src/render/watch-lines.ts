import { cleanText, fitText, textWidth } from "../clean-text.ts";
import { blindTimes } from "@phasekit/core/adapter";
import type { Colors } from "../terminal.ts";
import type { MachineRun, RunState } from "../watch/watch-machine.ts";
import { words } from "@phasekit/ledger/story";
import { age, plural } from "./numbers.ts";
import { phaseColor } from "./phase-color.ts";
import { phaseStrip } from "./phase-strip.ts";
import { shortId } from "./short-id.ts";
import { table } from "./table.ts";
import { wrapItems, wrapText } from "./wrap-text.ts";

/** The frame of `renderWatch()`. */
export interface WatchFrame {
  readonly columns: number;
  /** The height; the runs that do not fit are counted. @default all runs */
  readonly rows?: number;
  readonly colors: Colors;
  readonly now: number;
  /** How far back runs are shown, for the empty screen: "15 min". */
  readonly window: string;
  /** Returns the cost of a run for a cell; empty if it is not known. @default no cost */
  readonly cost?: (run: MachineRun) => string;
  /** A hint about keys, below the runs. */
  readonly hint?: string;
}

/** Below this width a run takes several lines instead of a row of a table. */
const NARROW = 100;
const NARROW_STRIP = 24;
const STRIP = 16;

/** Renders the live runs of a machine: a head, a row per run with its alert and what is owed, and a legend. */
export function renderWatch(runs: readonly MachineRun[], frame: WatchFrame): readonly string[] {
  const { columns, rows = Number.POSITIVE_INFINITY, colors, hint } = frame;
  const head = wrapItems(headItems(runs), { width: columns });
  const foot = [
    ...(runs.length === 0 ? [] : legend(runs, frame)),
    ...(hint === undefined ? [] : [colors.dim(fitText(hint, columns))]),
  ];
  const body = runs.length === 0 ? emptyText(frame) : runBlocks(runs, frame);
  const room = rows - head.length - foot.length - 2;
  return [
    ...head.map((line, index) => (index === 0 ? line.replace("phasekit watch", colors.bold("phasekit watch")) : line)),
    "",
    ...cutBlocks(body, room, colors),
    "",
    ...foot,
  ];
}

function headItems(runs: readonly MachineRun[]): readonly string[] {
  const counts = new Map<RunState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [
    "phasekit watch",
    ...(runs.length === 0 ? [] : [plural(runs.length, "run")]),
    ...[...counts].map(([state, count]) => `${String(count)} ${state}`),
  ];
}

function emptyText({ columns, window }: WatchFrame): readonly (readonly string[])[] {
  return [
    wrapText(`No agent on this machine has worked in the last ${window}.`, columns),
    wrapText("A run appears here when an agent starts to work. To see one, open another terminal and run:", columns),
    ["  phasekit demo --store .phasekit/runs"],
  ];
}

/** The lines of each run: the head of the table, then a block per run. */
function runBlocks(runs: readonly MachineRun[], frame: WatchFrame): readonly (readonly string[])[] {
  const { columns, colors } = frame;
  if (columns < NARROW)
    return runs.map((run, index) => [...(index === 0 ? [] : [""]), ...runLines(run, frame), ...details(run, frame)]);
  const costs = runs.map((run) => frame.cost?.(run) ?? "");
  const [head = "", ...lines] = table(
    [
      { head: "agent", flexible: true },
      { head: "run", flexible: true },
      { head: "phases" },
      { head: "now" },
      { head: "turns", right: true },
      { head: "tokens", right: true },
      ...(costs.some((cost) => cost !== "") ? [{ head: "cost", right: true }] : []),
      { head: "state" },
    ],
    runs.map((run, index) => [
      cleanText(run.agent),
      cleanText(`${run.project ?? ""} ${shortId(run.about.id)}`),
      phaseStrip(run.story.phases, { width: STRIP, colors }),
      phaseColor(run.story.phase, colors)(cleanText(run.story.phase)),
      String(run.story.turns),
      tokensOf(run),
      ...(costs.some((cost) => cost !== "") ? [costs[index] ?? ""] : []),
      stateText(run, frame),
    ]),
    { width: columns, head: colors.dim },
  );
  return [[head], ...runs.map((run, index) => [lines[index] ?? "", ...details(run, frame)])];
}

/** The lines of a run that is too wide for a table: name and state, then the phases and counts. */
function runLines(run: MachineRun, frame: WatchFrame): readonly string[] {
  const { columns, colors } = frame;
  const state = stateText(run, frame);
  const name = fitText(nameOf(run), columns);
  const fits = (...parts: readonly string[]): boolean => textWidth(parts.join("  ")) <= columns;
  const { phase, turns } = run.story;
  const cost = frame.cost?.(run) ?? "";
  const counts = [
    cleanText(phase),
    plural(turns, "turn"),
    `${tokensOf(run)} tokens`,
    ...(cost === "" ? [] : [cost]),
  ].join(" · ");
  const strip = phaseStrip(run.story.phases, { width: Math.min(columns, NARROW_STRIP), colors });
  return [
    ...(fits(name, state) ? [`${colors.bold(name)}  ${state}`] : [colors.bold(name), state]),
    ...(fits(strip, counts) ? [`${strip}  ${counts}`] : [strip, ...wrapItems(counts.split(" · "), { width: columns })]),
  ];
}

/** Joins as many blocks as fit, and counts the rest. */
function cutBlocks(blocks: readonly (readonly string[])[], room: number, colors: Colors): readonly string[] {
  const lines: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    if (lines.length + block.length > (isLast ? room : room - 1))
      return [...lines.slice(0, Math.max(0, room - 1)), colors.dim(`… ${plural(blocks.length - index, "more run")}`)];
    lines.push(...block);
  }
  return lines;
}

/** The name of a run on one line. */
export function nameOf({ agent, project, about }: MachineRun): string {
  return [agent, project, shortId(about.id)].filter((part) => part !== undefined && part !== "").join(" · ");
}

const tokensOf = ({ story }: MachineRun): string => words.tokenText(story) ?? "?";

function stateText(
  { state, story: { reason, endedAt }, log: { updatedAt } }: MachineRun,
  { colors, now }: Pick<WatchFrame, "colors" | "now">,
): string {
  // A log may have been copied, or its records may have no times.
  const since = ` ${age(Math.max(0, now - Math.max(endedAt, updatedAt)))}`;
  switch (state) {
    case "working":
      return `${colors.green("working")}${colors.dim(since)}`;
    case "waiting":
      return `${colors.cyan("waiting")}${colors.dim(since)}`;
    case "interrupted":
      return `${colors.red("interrupted")}${colors.dim(since)}`;
    case "ended":
      return (reason === "done" ? colors.green : colors.red)(cleanText(reason ?? "ended"));
  }
}

/** The open alert, what is owed and the last blind time, on their own lines. */
function details({ alert, owed, state, story }: MachineRun, { columns, colors }: WatchFrame): readonly string[] {
  const width = columns - 4;
  const isOver = state === "ended" || state === "interrupted";
  return [
    ...(alert === undefined || isOver
      ? []
      : wrapText(fitText(`! ${alertText(alert)}`, 2 * width), width).map((line) => `  ${colors.magenta(line)}`)),
    ...(owed.length === 0
      ? []
      : wrapText(fitText(`owed: ${owed.join(", ")}`, 2 * width), width).map((line) => `  ${colors.yellow(line)}`)),
    ...story.blind.slice(-1).map((span) => `  ${colors.magenta(fitText(`blind ${blindTimes(span)}`, width))}`),
  ];
}

/** Names an open alert: `repeat ×4: node build.js`. */
function alertText({ kind, count, about }: NonNullable<MachineRun["alert"]>): string {
  const times = count > 1 ? ` ×${String(count)}` : "";
  return `${cleanText(kind)}${times}${about === undefined ? "" : `: ${cleanText(about)}`}`;
}

/** The color, or the letter, of each phase that is shown. */
function legend(runs: readonly MachineRun[], { columns, colors }: WatchFrame): readonly string[] {
  const phases = [...new Set(runs.flatMap(({ story }) => story.phases.map(({ phase }) => phase)))];
  const items = phases.map((phase) => {
    const name = cleanText(phase);
    return colors.isColorSupported ? `${phaseColor(phase, colors)("█")} ${name}` : `${name.slice(0, 1)} ${name}`;
  });
  return wrapItems(items, { width: columns, between: "  " });
}
