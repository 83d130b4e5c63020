import type { EvidenceGrade } from "@phasekit/core";
import type { RunRow } from "../run-row.ts";
import { CODING } from "../sets.ts";
import { countIf, shareOf } from "./figures.ts";
import { groupRuns } from "./groups.ts";
import type { Table } from "./table.ts";

const GRADES: readonly EvidenceGrade[] = ["proven", "supported", "weak", "claimed", "not-needed"];
/** A grade with fewer runs says nothing about the order. */
const ENOUGH = 10;

/** e2. Share of resolved runs by the grade of their evidence: it has to fall from proven to supported to weak to claimed. */
export function grades(all: readonly RunRow[]): Table {
  const rows: (readonly (string | number)[])[] = [];
  for (const [name, members] of groupRuns(all)) {
    if (!members.every(({ set }) => CODING.includes(set))) continue;
    const withCodes = countIf(members, ({ hasExitCodes }) => hasExitCodes === true) * 2 > members.length;
    const shares = GRADES.map((grade) => resolvedOf(members, grade));
    rows.push([name, withCodes ? "yes" : "no", ...shares.map(({ hits, runs }) => shareOf(hits, runs)), fall(shares)]);
  }
  return {
    title: "e2. P(resolved) by the grade of the evidence (mode observe)",
    head: ["set", "exit codes", ...GRADES, "falls"],
    rows,
    notes: [
      `falls: from proven to supported to weak to claimed; "few" if the grades that break the order have under ${ENOUGH} runs.`,
    ],
  };
}

interface Share {
  readonly hits: number;
  readonly runs: number;
}

function resolvedOf(members: readonly RunRow[], grade: EvidenceGrade): Share {
  const runs = members.filter((row) => row.grade === grade);
  return { hits: countIf(runs, ({ outcome }) => outcome === "success"), runs: runs.length };
}

/** Compares each grade with the next one that has runs. */
function fall(shares: readonly Share[]): string {
  const ordered = shares.slice(0, 4).filter(({ runs }) => runs > 0);
  const breaks = ordered.flatMap((next, index) => {
    const before = ordered[index - 1];
    if (before === undefined || before.hits / before.runs > next.hits / next.runs) return [];
    return [Math.min(before.runs, next.runs)];
  });
  if (breaks.length === 0) return ordered.length < 2 ? "-" : "yes";
  return breaks.every((runs) => runs < ENOUGH) ? "few" : "NO";
}
