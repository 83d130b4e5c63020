import { PEER_RULES } from "./peer-rules.ts";
import type { RunRow } from "./run-row.ts";
import { countHits, savedShare, splitByOutcome, total } from "./tables/figures.ts";
import { poolRuns } from "./tables/groups.ts";
import { LEVELS } from "./tables/verdicts.ts";

/** A point of the chart: the harm of "stop here", and the turns it saves. */
interface Point {
  readonly name: string;
  readonly family: "Phasekit" | "rule" | "turn cap";
  /** Successful runs stopped, in percent. */
  readonly harm: number;
  /** Turns of failing runs saved, in percent. */
  readonly saved: number;
}

const WIDTH = 880;
const HEIGHT = 520;
const MARGIN = 60;
const COLORS = { Phasekit: "#2563eb", rule: "#b45309", "turn cap": "#6b7280" } as const;
const CAPS = [20, 30, 40, 50, 60];

/** Draws harm against turns saved for the first pool: Phasekit's levels, other tools' rules and turn caps, as SVG. */
export function drawChart(played: ReadonlyMap<string, readonly RunRow[]>): string {
  const [first = []] = played.values();
  const [pool] = poolRuns(first);
  const title = `${pool?.[0] ?? "runs"}: successful runs stopped against failing turns saved`;
  const points = [...played].flatMap(([preset, rows], index) => pointsOf(preset, rows, index === 0));
  const maxHarm = Math.max(1, ...points.map(({ harm }) => harm)) * 1.1;
  const maxSaved = Math.max(1, ...points.map(({ saved }) => saved)) * 1.1;
  const x = (harm: number): number => MARGIN + (harm / maxHarm) * (WIDTH - 2 * MARGIN);
  const y = (saved: number): number => HEIGHT - MARGIN - (saved / maxSaved) * (HEIGHT - 2 * MARGIN);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${MARGIN}" y="24" font-size="14">${escapeText(title)}</text>`,
    ...ticksOf(maxHarm).map((harm) => tick(x(harm), HEIGHT - MARGIN + 16, `${harm} %`)),
    ...ticksOf(maxSaved).map((saved) => tick(MARGIN - 28, y(saved) + 4, `${saved} %`)),
    `<path d="M${MARGIN} ${MARGIN}V${HEIGHT - MARGIN}H${WIDTH - MARGIN}" fill="none" stroke="#9ca3af"/>`,
    tick(WIDTH / 2, HEIGHT - 16, "successful runs stopped"),
    ...points.map(
      ({ name, family, harm, saved }) =>
        `<circle cx="${x(harm).toFixed(1)}" cy="${y(saved).toFixed(1)}" r="4" fill="${COLORS[family]}"/>` +
        `<text x="${(x(harm) + 7).toFixed(1)}" y="${(y(saved) + 4).toFixed(1)}" fill="${COLORS[family]}">` +
        `${escapeText(name)}</text>`,
    ),
    "</svg>",
    "",
  ].join("\n");
}

/** Points of one preset. Rules and caps do not depend on it, so only the first preset has them. */
function pointsOf(preset: string, rows: readonly RunRow[], isFirst: boolean): readonly Point[] {
  const { good, bad } = splitByOutcome(poolRuns(rows)[0]?.[1] ?? []);
  const at = (name: string, family: Point["family"], point: string): Point => ({
    name,
    family,
    harm: good.length === 0 ? 0 : (100 * countHits(good, point)) / good.length,
    saved: savedShare(bad, point),
  });
  if (!isFirst) return [at(preset, "Phasekit", "stop")];
  return [
    ...Object.entries(LEVELS).map(([name, point]) => at(name, "Phasekit", point)),
    ...Object.keys(PEER_RULES).map((name) => at(name, "rule", name)),
    ...CAPS.map((cap) => capPoint(cap, good, bad)),
  ];
}

function capPoint(cap: number, good: readonly RunRow[], bad: readonly RunRow[]): Point {
  const turns = total(bad, (row) => row.turns);
  const saved = total(bad, (row) => Math.max(0, row.turns - cap));
  const harmed = good.filter((row) => row.turns > cap).length;
  return {
    name: `${cap} turns`,
    family: "turn cap",
    harm: good.length === 0 ? 0 : (100 * harmed) / good.length,
    saved: turns === 0 ? 0 : (100 * saved) / turns,
  };
}

function ticksOf(max: number): readonly number[] {
  const step = max > 40 ? 20 : max > 15 ? 5 : max > 6 ? 2 : 1;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}

const tick = (x: number, y: number, text: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#374151" text-anchor="middle">${text}</text>`;

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
