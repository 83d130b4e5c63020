import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Closure, ForeignPackage } from "./read-closure.ts";

/** Why a package that ours name is needed, by name. */
export function readReasons(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, "reasons.json"), "utf8")) as Readonly<
    Record<string, string>
  >;
}

/** The tables of docs/supply-chain.md. `released` has the day of the newest release by name. */
export function renderTables(closures: readonly Closure[], released: ReadonlyMap<string, string>): string {
  return [
    "| Package | Ours it brings | Packages of others | Their size | Inside its build |",
    "| --- | --- | --- | --- | --- |",
    ...closures.map(renderClosure),
    "",
    "| Package of others | Version | License | Size | Newest release | Install scripts | Why |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...foreignOf(closures).map((each) => renderForeign(each, released.get(each.name) ?? "unknown")),
  ].join("\n");
}

/** Every foreign package once. */
export function foreignOf(closures: readonly Closure[]): readonly ForeignPackage[] {
  const byName = new Map(
    closures
      .flatMap(({ foreign, inside }) => [...foreign, ...inside])
      .map((each) => [`${each.name}@${each.version}`, each]),
  );
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function renderClosure({ name, own, foreign, inside }: Closure): string {
  const contained = inside.map((each) => each.name).join(", ");
  const ours = own.map((each) => each.replace("@phasekit/", "")).join(", ");
  const others = foreign.map((each) => each.name).join(", ");
  return `| \`${name}\` | ${ours || "–"} | ${others || "none"} | ${sizeText(sum(foreign))} | ${contained || "–"} |`;
}

function renderForeign(
  { name, version, license, size, installScripts, neededBy }: ForeignPackage,
  released: string,
): string {
  const why = readReasons()[name] ?? `needed by \`${neededBy}\``;
  const scripts = installScripts.join(", ") || "none";
  return `| ${[`\`${name}\``, version, license, sizeText(size), released, scripts, why].join(" | ")} |`;
}

const sum = (foreign: readonly ForeignPackage[]): number => foreign.reduce((total, { size }) => total + size, 0);

function sizeText(bytes: number): string {
  if (bytes === 0) return "0";
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
