import { codingPhases, expectationSet } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { codingRun, edit, endlessReads, finished, read, type Step } from "../test/coding-run.ts";
import { phaseTracker } from "./phase-tracker.ts";
import { saturation, type SaturationOptions } from "./saturation.ts";

const files = (count: number): readonly Step[] => Array.from({ length: count }, (_, n) => read(`f${String(n)}`));
const sameFile = (count: number): readonly Step[] => Array.from({ length: count }, () => read("same"));

function follow(options: SaturationOptions, steps: readonly Step[], tracked = true) {
  const { run, take, events } = codingRun({ policies: [...(tracked ? [phaseTracker()] : []), saturation(options)] });
  take(...steps);
  const answer = run.beforeTurn();
  return {
    reports: events.filter((event) => event.type === "exploration.saturation"),
    nudges: answer.nudges.map(({ text }) => text),
    events,
  };
}

describe("saturation", () => {
  it.each<[what: string, steps: readonly Step[], reports: number]>([
    ["9 files", files(9), 0],
    ["10 files", files(10), 1],
    ["20 files are still one episode", files(20), 1],
    ["14 iterations on one file", sameFile(14), 0],
    ["15 iterations on one file", sameFile(15), 1],
    ["a new file in the last three iterations is not enough", [...sameFile(14), read("new")], 1],
    ["two new files are", [...sameFile(13), read("new"), read("newer")], 0],
    ["an edit before", [edit("a"), ...files(20)], 0],
    ["an edit after 9 files", [...files(9), edit("a"), read("f9"), read("f10")], 0],
  ])("%s", (_what, steps, count) => {
    expect(follow({}, steps).reports).toHaveLength(count);
    expect(follow({}, steps, false).reports, "alone").toHaveLength(count);
  });

  it("a new file on every call is not diminishing returns", () => {
    expect(follow({ fileThreshold: 50 }, files(40)).reports).toHaveLength(0);
  });

  it("records what it knows, and says so in words", () => {
    const { reports, nudges } = follow({}, files(10));
    expect(reports[0]).toMatchObject({ filesRead: 10, iterations: 10 });
    expect(nudges).toMatchInlineSnapshot(`
      [
        "You have read 10 files in 10 rounds and changed nothing yet. If you know enough, take the next step now: make the change and test it, or give your answer. If something is still missing, say in a sentence or two what you are looking for.",
      ]
    `);
    expect(follow({ fileThreshold: 1 }, files(1)).nudges[0]).toMatch(/^You have read one file in one round and/);
    expect(follow({ text: ({ filesRead }) => `${String(filesRead)}!` }, files(12)).nudges).toEqual([]); // Said two turns ago.
    expect(follow({ text: ({ filesRead }) => `${String(filesRead)}!` }, files(10)).nudges).toEqual(["10!"]);
  });

  it("counts what was read in this stay: coming back to look once more is not saturated immediately", () => {
    const { run, take, events } = codingRun({ policies: [phaseTracker(), saturation()] });
    const reports = (): readonly number[] =>
      events.flatMap((event) => (event.type === "exploration.saturation" ? [event.filesRead] : []));
    take(...files(12));
    for (const to of ["planning", "exploring"] as const) expect(run.transition(to), to).toBe(true);
    take(...Array.from({ length: 9 }, (_, n) => read(`new${String(n)}`)));
    expect(reports()).toEqual([10]);
    take(read("new9"));
    expect(reports()).toEqual([10, 10]);
  });

  it("asks a run whose task is a question for the answer, and not for a change", () => {
    const { run, take, events } = codingRun({ policies: [phaseTracker(), saturation()] });
    run.record(expectationSet.record({ repeats: false, edits: false }));
    take(...files(10));
    run.beforeTurn();
    const texts = events.flatMap((event) => (event.type === "nudge.sent" ? [event.text] : []));
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain("give your answer now");
    expect(texts[0]).not.toContain("change");
  });

  it.each([
    { gain: 0.1, onlyWithoutNews: true, nudges: 1 },
    { gain: 0.9, onlyWithoutNews: true, nudges: 0 },
    { gain: 0.9, onlyWithoutNews: false, nudges: 1 },
    { gain: 0.9, onlyWithoutNews: undefined, nudges: 1 },
  ])("gain $gain, onlyWithoutNews $onlyWithoutNews: $nudges nudges", ({ gain, onlyWithoutNews, nudges }) => {
    const { run, events } = codingRun({
      policies: [saturation(onlyWithoutNews === undefined ? {} : { onlyWithoutNews })],
    });
    for (let n = 0; n < 10; n += 1) {
      run.beforeTurn();
      const { call } = run.beforeTool({ tool: "read_file", input: { path: `f${n}` } });
      const meaning = { activity: "read", targets: [`f${n}`], mutates: false, effect: "look", gain } as const;
      run.record({ type: "tool.finished", call, outcome: "ok", output: "text", meaning });
    }
    run.beforeTurn();
    expect(events.filter(({ type }) => type === "exploration.saturation")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "nudge.sent")).toHaveLength(nudges);
  });

  it.each([{ fileThreshold: "ten" }, { fileThreshold: 0 }, { iterationThreshold: Number.NaN }, { minNewFiles: -1 }])(
    "refuses %j",
    (options) => {
      expect(() => saturation(options as never)).toThrow(/is not a number of at least/);
    },
  );
});

describePolicy(() => saturation(), {
  describe,
  it,
  graph: codingPhases,
  endless: endlessReads,
  events: files(12).flatMap((step) => [{ type: "turn.started" as const }, finished(step)]),
});
