import { checkEvent } from "@phasekit/core";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RecordedRun, type Transcript, parseTranscript } from "../src/index.ts";
import { detectFormat } from "../src/detect-format.ts";

const folder = join(import.meta.dirname, "fixtures");
const ROUNDS = 60;

/** Chance with a seed: the same mutations in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WRONG: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x",
  true,
  [],
  {},
  [null],
  { a: 1 },
  "\u0000",
  "NaN",
  -5.5,
  [[]],
];

/** The value with a few members gone, doubled, or of another kind. */
function mutate(value: unknown, next: (below: number) => number): unknown {
  if (next(40) === 0) return WRONG[next(WRONG.length)];
  if (Array.isArray(value))
    return (value as readonly unknown[]).flatMap((item): readonly unknown[] =>
      next(30) === 0 ? [] : next(30) === 0 ? [mutate(item, next), item] : [mutate(item, next)],
    );
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      next(30) === 0 ? [] : [[next(60) === 0 ? `${name}x` : name, mutate(member, next)]],
    ),
  );
}

describe("fixtures with members gone, doubled and of another kind", () => {
  const files = readdirSync(folder).filter((file) => /\.(?:jsonl?|traj|ipynb)$/.test(file));

  it.each(files)("%s: nothing is thrown, every event is one a run takes, calls and results pair", (file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const format = detectFormat(text)?.format.name ?? "";
    const isLog = file.endsWith("l");
    const values: unknown = isLog
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      : JSON.parse(text);
    const next = chance(file.length * 7919);
    for (let round = 0; round < ROUNDS; round += 1) {
      const mutant = mutate(values, next);
      const transcript =
        isLog && Array.isArray(mutant)
          ? parseTranscript(mutant.map((value) => JSON.stringify(value)).join("\n"), { format })
          : parseTranscript(JSON.parse(JSON.stringify(mutant)), { format });
      check(transcript);
    }
  });
});

function check({ runs, report }: Transcript): void {
  expect(Object.keys(report.broken).filter((why) => why.startsWith("not understood"))).toEqual([]);
  expect(report.calls).toBe(report.results + report.unanswered);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
  // Our own logs can have results without calls.
  for (const run of runs) checkRun(run, { pairs: report.format !== "phasekit" });
}

function checkRun({ events, id }: RecordedRun, { pairs }: { readonly pairs: boolean }): void {
  expect(id).not.toBe("");
  const open = new Set<string>();
  for (const event of events) {
    const issues = checkEvent(event);
    if (issues.length > 0) expect(`${JSON.stringify(event)}: ${JSON.stringify(issues)}`).toBe("a event");
    if (!pairs) continue;
    if (event.type === "tool.requested") {
      if (open.has(event.call ?? "")) expect(`two open calls ${String(event.call)}`).toBe("one");
      open.add(event.call ?? "");
    } else if (event.type === "tool.finished" && !open.delete(event.call ?? ""))
      expect(`result without a call ${String(event.call)}`).toBe("a pair");
  }
}
