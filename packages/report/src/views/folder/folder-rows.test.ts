import { describe, expect, it } from "vitest";
import { sampleLine } from "./__fixtures__/sample-line.ts";
import { filterRuns, folderRows } from "./folder-rows.ts";

const on = (day: string): number => new Date(`${day}T12:00`).getTime();
const runs = [
  sampleLine({ run: "a", project: "shop", tool: "Codex", startedAt: on("2026-03-01"), grade: "proven", tokens: 100 }),
  sampleLine({ run: "b", project: "blog", tool: "Claude Code", startedAt: on("2026-03-02"), cost: 2 }),
  sampleLine({ run: "c", project: "shop", tool: "Claude Code", startedAt: on("2026-03-03"), cost: 1, tokens: 200 }),
  sampleLine({ run: "d", startedAt: 0, word: "gave_up", tone: "bad" }),
].map((line) => ({ line }));
const any = { words: "", from: "", to: "" };
const names = (found: readonly (typeof runs)[number][]): string => found.map(({ line }) => line.run).join("");

describe("filterRuns", () => {
  it.each([
    [{}, "abcd"],
    [{ words: "claude shop" }, "c"],
    [{ words: " SHOP " }, "ac"],
    [{ words: "gave up" }, "d"],
    [{ from: "2026-03-02" }, "bc"],
    [{ to: "2026-03-02" }, "ab"],
    [{ from: "2026-03-02", to: "2026-03-02", words: "blog" }, "b"],
  ])("%o leaves %s", (filter, left) => {
    expect(names(filterRuns(runs, { ...any, ...filter }))).toBe(left);
  });
});

describe("folderRows", () => {
  it("puts runs under the heads of their groups, in the order of the first run of each", () => {
    const rows = folderRows(runs, { group: "project", closed: new Set(["blog"]) });
    expect(rows.map((row) => (row.kind === "run" ? row.run.line.run : `${row.name}: ${row.text}`))).toEqual([
      "shop: 2 runs · 1 proven · 300 tokens · $1.00",
      "a",
      "c",
      "blog: 1 run · 0 proven · $2.00",
      "no known project: 1 run · 0 proven",
      "d",
    ]);
  });

  it("has no heads without groups", () => {
    expect(folderRows(runs, { group: "nothing", closed: new Set() }).map(({ kind }) => kind)).toEqual([
      ...["run", "run", "run", "run"],
    ]);
  });

  it("puts sub-agents below the run that started them, as deep as they are, and keeps the order of the rest", () => {
    const tree = [
      sampleLine({ run: "late" }),
      sampleLine({ run: "grandchild", parent: "child" }),
      sampleLine({ run: "child", parent: "top" }),
      sampleLine({ run: "top" }),
      sampleLine({ run: "orphan", parent: "elsewhere" }),
    ].map((line) => ({ line }));
    const rows = folderRows(tree, { group: "nothing", closed: new Set() });
    expect(rows.map((row) => (row.kind === "run" ? `${String(row.depth)} ${row.run.line.run}` : ""))).toEqual([
      ...["0 late", "0 top", "1 child", "2 grandchild", "0 orphan"],
    ]);
  });
});
