import type { RunRow } from "../run-row.ts";
import { countHits, percent, shareOf, total } from "./figures.ts";
import type { Table } from "./table.ts";

const agentsOf = (rows: readonly RunRow[]): readonly string[] => [
  ...new Set(rows.map(({ model }) => model ?? "")),
  "all",
];

/** c. Phase after each step against the step labels of people. */
export function phases(all: readonly RunRow[]): Table {
  const labelled = all.flatMap(({ model = "", phases: found }) => (found === undefined ? [] : [{ model, found }]));
  const rows = agentsOf(all.filter((row) => row.phases !== undefined)).map((agent) => {
    const list = labelled.filter(({ model }) => agent === "all" || model === agent);
    const steps = total(list, ({ found }) => found.steps);
    return [
      agent,
      list.length,
      steps,
      percent(
        total(list, ({ found }) => found.phase),
        steps,
      ),
      percent(
        total(list, ({ found }) => found.seed),
        steps,
      ),
    ];
  });
  const misses = new Map<string, number>();
  for (const { model, found } of labelled)
    for (const [miss, n] of Object.entries(found.misses))
      misses.set(`${model}: ${miss}`, (misses.get(`${model}: ${miss}`) ?? 0) + n);
  const worst = [...misses].sort(([, x], [, y]) => y - x).slice(0, 10);
  return {
    title: "c. Phase against the step labels of people (agents-study)",
    head: ["agent", "runs", "steps", "Phasekit %", "seed 000 rule %"],
    rows: labelled.length === 0 ? [] : rows,
    notes: ["Most frequent differences:", ...worst.map(([miss, n]) => `  ${n} x ${miss}`)],
  };
}

const MARKS = [
  ["any alert", "alert"],
  ["strong alert", "strong"],
  ["stop", "stop"],
  ["3 equal calls", "3 equal calls"],
] as const;

/** d. Labels of repetition. */
export function repetition(all: readonly RunRow[]): Table {
  const labelled = all.filter((row) => row.repetition !== undefined);
  const rows = agentsOf(labelled).map((agent) => {
    const list = labelled.filter(({ model }) => agent === "all" || model === agent);
    const n = (key: string): number => total(list, (row) => row.repetition?.[key] ?? 0);
    return [
      agent,
      n("repeats"),
      shareOf(n("lit"), n("repeats")),
      shareOf(n("near"), n("repeats")),
      shareOf(n("raisedRight"), n("raised")),
      shareOf(n("raisedNear"), n("raised")),
      shareOf(n("markedRight"), n("repeats")),
      shareOf(n("markedRight"), n("marked")),
      shareOf(n("equalRight"), n("repeats")),
      shareOf(n("equalRight"), n("equal")),
    ];
  });
  const groups = [...new Set(all.flatMap(({ marked }) => marked?.group ?? []))].sort();
  const notes = groups.map((group) => {
    const list = all.filter(({ marked }) => marked?.group === group);
    const yes = list.filter(({ marked }) => marked?.marked);
    const no = list.filter(({ marked }) => marked?.marked === false);
    const hits = (runs: readonly RunRow[], point: string): string => `${countHits(runs, point)}/${runs.length}`;
    const cells = MARKS.map(([name, point]) => `${name} ${hits(yes, point)} and ${hits(no, point)}`);
    return `${group} (marked runs and others): ${cells.join("; ")}`;
  });
  return {
    title: "d. Steps labelled Repetition by people (agents-study)",
    head: [
      "agent",
      "labels",
      "recall: alert at step",
      "within -1..+2",
      "precision: raised at label",
      "next to one",
      "alert repeat: recall",
      "precision",
      "equal neighbour: recall",
      "precision",
    ],
    rows: labelled.length === 0 && notes.length === 0 ? [] : rows,
    notes,
  };
}
