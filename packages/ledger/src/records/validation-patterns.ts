import type { HostEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import type { PhaseRecord } from "./phase-record.ts";

const MAX_PATTERNS = 1000;
const MAX_ROWS = 5;
const MAX_EXPECTED = 200;
const MAX_PATH = 200;

type Row = NonNullable<PhaseRecord["topValidationErrors"]>[number];

/** Counts a validation error by its path and what was expected there. */
export function foldValidation(patterns: Map<string, Row>, { path, expected }: HostEvent<"validation.failed">): void {
  const short = expected === undefined ? undefined : expected.slice(0, MAX_EXPECTED).replace(/[\ud800-\udbff]$/, "");
  const key = JSON.stringify([path, short]);
  const row = patterns.get(key);
  if (row !== undefined) row.count += 1;
  else if (patterns.size < MAX_PATTERNS)
    patterns.set(key, defined({ path: path.slice(0, MAX_PATH), expected: short, count: 1 }));
}

/** The mistakes that came back most often; the order of first appearance breaks ties. */
export function topValidationErrors(patterns: ReadonlyMap<string, Row>): PhaseRecord["topValidationErrors"] {
  return patterns.size === 0
    ? undefined
    : [...patterns.values()]
        .sort((a, b) => b.count - a.count)
        .slice(0, MAX_ROWS)
        .map((row) => ({ ...row }));
}
