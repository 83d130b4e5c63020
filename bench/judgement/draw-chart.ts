import { PEER_RULES } from "./peer-rules.ts";
import type { RunRow } from "./run-row.ts";
import { splitByOutcome } from "./tables/figures.ts";
import { groupRuns } from "./tables/groups.ts";
import { capEffect, type Effect, type Range, stopEffect } from "./tables/stop-effect.ts";
import { LEVELS } from "./tables/verdicts.ts";

type Family = "Phasekit" | "rule" | "turn cap";

/** A point of a panel: what "stop here" does to successful and to failing runs. */
interface Point extends Effect {
  readonly name: string;
  readonly family: Family;
}

/** Some runs, drawn in one rectangle. */
interface Panel {
  readonly title: string;
  readonly points: readonly Point[];
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Names at the points, and bars of the intervals. */
  readonly isDetailed: boolean;
}

const WIDTH = 880;
const LARGE = 420;
const SMALL = 170;
const COLUMNS = 4;
const MARGIN = { left: 44, right: 12, top: 34, bottom: 34 } as const;
const COLORS: Readonly<Record<Family, string>> = { Phasekit: "#2563eb", rule: "#b45309", "turn cap": "#6b7280" };
const CAPS = [30, 40, 50];

/**
 * Draws harm against turns saved as SVG: the first pool with names and 95 % intervals, then every set of it. With several
 * presets, the first one has all its levels, the others only their stop.
 */
export function drawChart(played: ReadonlyMap<string, readonly RunRow[]>): string {
  const [[, first] = ["", []]] = played;
  const groups = groupRuns(first);
  const [pool] = groups;
  const sets = groups.filter(([name]) => !/^(?:coding|all sets|-)/.test(name));
  const pointsIn = (name: string): readonly Point[] =>
    [...played].flatMap(([preset, rows], index) => pointsOf(preset, membersOf(rows, name), index === 0));
  const main: Panel = {
    title: `${pool?.[0] ?? "runs"}: successful runs stopped (across) against turns of failing runs saved (up), 95 % intervals`,
    points: pointsIn(pool?.[0] ?? ""),
    ...{ left: 0, top: 0, width: WIDTH, height: LARGE, isDetailed: true },
  };
  const small = sets.map(([name, rows], index): Panel => {
    const width = WIDTH / COLUMNS;
    const { good, bad } = splitByOutcome(rows);
    return {
      title: `${name}: ${String(good.length)} / ${String(bad.length)}`,
      points: pointsIn(name),
      ...{ left: (index % COLUMNS) * width, top: LARGE + Math.floor(index / COLUMNS) * SMALL, width, height: SMALL },
      isDetailed: false,
    };
  });
  const height = LARGE + Math.ceil(small.length / COLUMNS) * SMALL;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"` +
      ` font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...drawLegend(),
    ...[main, ...small].flatMap(drawPanel),
    "</svg>",
    "",
  ].join("\n");
}

function membersOf(rows: readonly RunRow[], name: string): readonly RunRow[] {
  return groupRuns(rows).find(([group]) => group === name)?.[1] ?? [];
}

/** Points of one preset. Rules and caps do not depend on it, so only the first preset has them. */
function pointsOf(preset: string, rows: readonly RunRow[], isFirst: boolean): readonly Point[] {
  const { good, bad } = splitByOutcome(rows);
  const at = (name: string, family: Family, point: string): Point => ({
    name,
    family,
    ...stopEffect(good, bad, point),
  });
  if (!isFirst) return [at(preset, "Phasekit", "stop")];
  return [
    ...Object.entries(LEVELS).map(([name, point]) => at(name, "Phasekit", point)),
    ...Object.keys(PEER_RULES).map((name) => at(name, "rule", name)),
    ...CAPS.map((cap): Point => ({ name: `${cap} turns`, family: "turn cap", ...capEffect(good, bad, cap) })),
  ];
}

function drawLegend(): readonly string[] {
  const names = { Phasekit: "Phasekit", rule: "rules of other tools", "turn cap": "a limit of turns" };
  return Object.entries(COLORS).flatMap(([family, color], index) => [
    `<circle cx="${WIDTH - 150}" cy="${LARGE - 130 + index * 18}" r="4" fill="${color}"/>`,
    `<text x="${WIDTH - 140}" y="${LARGE - 126 + index * 18}">${names[family as Family]}</text>`,
  ]);
}

function drawPanel({ title, points, left, top, width, height, isDetailed }: Panel): readonly string[] {
  const reach = (pick: (point: Point) => Range): number =>
    Math.max(4, ...points.map((point) => pick(point)[isDetailed && hasBars(point) ? "high" : "value"])) * 1.08;
  const [maxHarm, maxSaved] = [
    Math.min(
      100,
      reach(({ harm }) => harm),
    ),
    Math.min(
      100,
      reach(({ saved }) => saved),
    ),
  ];
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const x = (harm: number): number => left + MARGIN.left + (Math.min(harm, maxHarm) / maxHarm) * inner.width;
  const y = (saved: number): number =>
    top + MARGIN.top + inner.height - (Math.min(saved, maxSaved) / maxSaved) * inner.height;
  const bars = ({ family, harm, saved }: Point): string =>
    `<path d="M${at(x(harm.low))} ${at(y(saved.value))}H${at(x(harm.high))}M${at(x(harm.value))} ${at(y(saved.low))}` +
    `V${at(y(saved.high))}" stroke="${COLORS[family]}" stroke-opacity="0.35" fill="none"/>`;
  const dot = ({ name, family, harm, saved }: Point): string =>
    `<circle cx="${at(x(harm.value))}" cy="${at(y(saved.value))}" r="${isDetailed ? 4 : 3}" fill="${COLORS[family]}">` +
    `<title>${escapeText(name)}</title></circle>`;
  const labelled = isDetailed ? placeLabels(points, ({ harm, saved }) => [x(harm.value), y(saved.value)]) : [];
  return [
    `<text x="${at(left + 8)}" y="${at(top + 18)}" font-size="${isDetailed ? 13 : 11}">${escapeText(title)}</text>`,
    ...ticksOf(maxHarm, inner.width / 60).map((harm) => tick(x(harm), top + height - MARGIN.bottom + 15, `${harm} %`)),
    ...ticksOf(maxSaved, inner.height / 30).map((saved) => tick(left + 26, y(saved) + 4, `${saved} %`)),
    `<path d="M${at(x(0))} ${at(top + MARGIN.top)}V${at(y(0))}H${at(x(maxHarm))}" fill="none" stroke="#9ca3af"/>`,
    ...(isDetailed ? points.filter(hasBars).map(bars) : []),
    ...points.map(dot),
    ...labelled.map(
      ({ point, left: textLeft, top: textTop }) =>
        `<text x="${at(textLeft)}" y="${at(textTop)}" fill="${COLORS[point.family]}" stroke="#fff" stroke-width="3" paint-order="stroke">${escapeText(point.name)}</text>`,
    ),
  ];
}

/** Bars of every point would cover each other: the stop and the rules have them. */
const hasBars = ({ name, family }: Point): boolean => family === "rule" || name === "stop";

/** Names beside their points; one that would cover another moves down. */
function placeLabels(
  points: readonly Point[],
  place: (point: Point) => readonly [x: number, y: number],
): readonly { readonly point: Point; readonly left: number; readonly top: number }[] {
  const placed: { readonly point: Point; readonly left: number; readonly top: number }[] = [];
  for (const point of [...points].sort((a, b) => b.saved.value - a.saved.value)) {
    const [x, y] = place(point);
    let top = y + 4;
    const covers = (): boolean =>
      placed.some((other) => Math.abs(other.left - x - 7) < 90 && Math.abs(other.top - top) < 11);
    while (covers()) top += 3;
    placed.push({ point, left: x + 7, top });
  }
  return placed;
}

/** Round figures up to `max`, at most `count` of them after the zero. */
function ticksOf(max: number, count: number): readonly number[] {
  const step = [1, 2, 5, 10, 20, 50].find((size) => max / size <= count) ?? 100;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}

const at = (place: number): string => place.toFixed(1);

const tick = (x: number, y: number, text: string): string =>
  `<text x="${at(x)}" y="${at(y)}" fill="#374151" text-anchor="middle">${text}</text>`;

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
