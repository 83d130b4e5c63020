import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages, root, type WorkspacePackage } from "./workspace.ts";

/** One place of what is counted. */
export interface Hit {
  /** A package or another group of files. */
  readonly area: string;
  readonly pattern: string;
  readonly where: string;
  readonly text: string;
}

/** Numbers by area and pattern; an absent one is 0. */
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Ratchet {
  /** The program, for its own hints: `check-words`. */
  readonly program: string;
  /** The file of the numbers in this folder. */
  readonly limits: string;
  readonly areas: readonly string[];
  /** Patterns by name, with the advice for a number that grew. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly hits: readonly Hit[];
}

/** The area of a package: its folder. */
export const areaOf = ({ folder }: WorkspacePackage): string => folder.replace(/^packages\/(?:adapters\/)?/, "");

/** Areas of all published packages, with their packages. */
export const packageAreas = (): readonly (readonly [string, WorkspacePackage])[] =>
  publishedPackages().map((part) => [areaOf(part), part]);

/**
 * Compares counts with the numbers in a file and fails above them. The numbers can only shrink: `--write` lowers them
 * and never raises one. `--list <area> [pattern]` shows every hit instead.
 */
export function ratchet({ program, limits: file, areas, patterns, hits }: Ratchet): void {
  const command = `node tooling/start.mjs tooling/${program}.ts`;
  const [listed, wanted] = process.argv.slice(process.argv.indexOf("--list") + 1);
  if (process.argv.includes("--list")) {
    for (const { area, pattern, where, text } of hits)
      if (area === listed && (wanted === undefined || wanted === pattern)) console.log(`${where} [${pattern}] ${text}`);
    return;
  }
  const path = join(root, "tooling", file);
  const limits = JSON.parse(readFileSync(path, "utf8")) as Counts;
  const shrunk: string[] = [];
  const lowered: Record<string, Record<string, number>> = {};
  for (const area of areas)
    for (const [pattern, advice] of Object.entries(patterns)) {
      const here = hits.filter((each) => each.area === area && each.pattern === pattern);
      const limit = limits[area]?.[pattern] ?? 0;
      if (here.length < limit) shrunk.push(`${area} "${pattern}" ${String(limit)} → ${String(here.length)}`);
      if (here.length > limit) {
        process.exitCode = 1;
        console.error(`${area}: "${pattern}" ${String(here.length)}, allowed ${String(limit)}. ${advice}`);
        for (const { where, text } of here.slice(0, 8)) console.error(`  ${where}  ${text}`);
        if (here.length > 8) console.error(`  … all: ${command} --list ${area} "${pattern}"`);
      }
      const left = Math.min(here.length, limit);
      if (left > 0) (lowered[area] ??= {})[pattern] = left;
    }
  const totals = Object.keys(patterns).map(
    (pattern) => `${pattern} ${String(hits.filter((each) => each.pattern === pattern).length)}`,
  );
  console.log(totals.join(" · "));
  if (process.argv.includes("--write")) writeFileSync(path, `${JSON.stringify(lowered, undefined, 2)}\n`);
  else if (shrunk.length > 0)
    console.log(`Fewer than allowed: ${shrunk.join("; ")}. Run \`${command} --write\` and commit tooling/${file}.`);
}
