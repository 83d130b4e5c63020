import { treeOf } from "@phasekit/ledger/story";
import { rowsByKey } from "../group-rows.ts";
import { costText, plural, tokens } from "../number-text.ts";
import type { RunLine } from "../run-line.ts";
import { dayKey } from "./trend.ts";

/** A filter for the table of runs. All given conditions must match. */
export interface RunFilter {
  /** Words that must all occur, in any order; ignores case. */
  readonly words: string;
  /** The first and the last day, as `2026-07-01`; empty for any. */
  readonly from: string;
  readonly to: string;
}

/** Properties that group the table of runs. */
export const runGroups = ["nothing", "project", "tool", "model", "outcome"] as const;
export type RunGroup = (typeof runGroups)[number];

/** A row of the table: the head of a group, or a run. */
export type FolderRow<TRun> =
  | { readonly kind: "group"; readonly name: string; readonly text: string; readonly isOpen: boolean }
  /** `depth` is 0 for a run that no other run of the table started. */
  | { readonly kind: "run"; readonly run: TRun; readonly depth: number };

interface WithLine {
  readonly line: RunLine;
}

/** Returns the runs that pass a filter. A run without a time passes only if no day is asked for. */
export function filterRuns<TRun extends WithLine>(
  runs: readonly TRun[],
  { words, from, to }: RunFilter,
): readonly TRun[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const isDated = from !== "" || to !== "";
  return runs.filter(({ line }) => {
    if (isDated) {
      if (line.startedAt <= 0) return false;
      const day = dayKey(line.startedAt);
      if ((from !== "" && day < from) || (to !== "" && day > to)) return false;
    }
    if (wanted.length === 0) return true;
    const text = textOf(line);
    return wanted.every((word) => text.includes(word));
  });
}

/** Returns the rows of the table: runs in their order, sub-agents below their run, under the heads of their groups. */
export function folderRows<TRun extends WithLine>(
  runs: readonly TRun[],
  { group, closed }: { readonly group: RunGroup; readonly closed: ReadonlySet<string> },
): readonly FolderRow<TRun>[] {
  const rowsOf = (own: readonly TRun[]): readonly FolderRow<TRun>[] =>
    treeOf(own, { keyOf: ({ line }) => line.run, parentOf: ({ line }) => line.parent }).map(({ row: run, depth }) => ({
      kind: "run",
      run,
      depth,
    }));
  if (group === "nothing") return rowsOf(runs);
  return [...rowsByKey(runs, ({ line }) => groupOf(line, group))].flatMap(([name, own]) => {
    const isOpen = !closed.has(name);
    const head: FolderRow<TRun> = { kind: "group", name, text: sumText(own.map(({ line }) => line)), isOpen };
    return [head, ...(isOpen ? rowsOf(own) : [])];
  });
}

function groupOf({ project, tool, models, word }: RunLine, group: Exclude<RunGroup, "nothing">): string {
  switch (group) {
    case "project":
      return project ?? "no known project";
    case "tool":
      return tool ?? "no known tool";
    case "model":
      return models?.join(", ") ?? "no known model";
    case "outcome":
      return word.replaceAll("_", " ");
  }
}

function sumText(lines: readonly RunLine[]): string {
  const sum = (read: (line: RunLine) => number): number => lines.reduce((total, line) => total + read(line), 0);
  const proven = lines.filter(({ grade }) => grade === "proven").length;
  const priced = lines.filter(({ cost }) => cost !== undefined);
  const used = sum(({ tokens: known = 0 }) => known);
  return [
    plural(lines.length, "run"),
    `${String(proven)} proven`,
    ...(used === 0 ? [] : [`${tokens(used)} tokens`]),
    ...(priced.length === 0
      ? []
      : [costText({ cost: sum(({ cost = 0 }) => cost), unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls) })]),
  ].join(" · ");
}

function textOf({ title, run, state, reason = "", grade = "", word, phases, tool, project, models }: RunLine): string {
  return [
    ...[title, run, state, reason, grade, word, word.replaceAll("_", " "), tool ?? "", project ?? ""],
    ...[...(models ?? []), ...phases.map(({ phase }) => phase)],
  ]
    .join(" ")
    .toLowerCase();
}
