import { describe, expect, it } from "vitest";
import { NoveltyMemory } from "./novelty.ts";

/** Gains of a list of answers, each to its own question unless the questions are given. */
function gainsOf(answers: readonly string[], { questions = [], memory = 100, values = true }: Options = {}): number[] {
  const novelty = new NoveltyMemory(memory);
  return answers.map((answer, i) => {
    const question = questions[i] ?? `q${i}`;
    return novelty.measure({ about: question, question: () => question, answer, values }).gain;
  });
}

interface Options {
  readonly questions?: readonly string[];
  readonly memory?: number;
  readonly values?: boolean;
}

describe("NoveltyMemory", () => {
  it("finds a first answer new and the same answer old, whatever was asked", () => {
    expect(gainsOf(["alpha beta", "alpha beta"])).toEqual([1, 0]);
  });

  it("does not count what the question says", () => {
    expect(gainsOf(["found alpha"], { questions: ["found alpha"] })).toEqual([0]);
  });

  it("weighs new lines by their share", () => {
    const [, gain = 0] = gainsOf(["one two three\nfour five six", "one two three\nseven six ten"]);
    expect(gain).toBe(0.5);
  });

  it("leaves lines that come with every answer out", () => {
    const footer = "[command finished in the usual place]";
    const answers = ["aa", "bb", "cc", "dd"].map((word) => `${word} is here\n${footer}`);
    expect(gainsOf(answers).at(-1)).toBe(1);
  });

  it("does not take what each answer to one question holds for an envelope", () => {
    const answers = ["aa", "bb", "cc", "dd", "ee"].map((word) => `the page has not changed at all\nid ${word}`);
    const questions = answers.map(() => "fetch");
    expect(Math.max(...gainsOf(answers, { questions }).slice(1))).toBeLessThan(1 / 3);
  });

  it("takes a changed count for news, except in an error", () => {
    const answers = ["3 of 40 done", "4 of 40 done"];
    const questions = ["poll", "poll"];
    expect(gainsOf(answers, { questions })[1]).toBe(1);
    expect(gainsOf(answers, { questions, values: false })[1]).toBe(0);
  });

  it("says whether the answer to a repeated question moved", () => {
    const novelty = new NoveltyMemory(100);
    const ask = (answer: string): boolean | undefined =>
      novelty.measure({ about: "q", question: () => "q", answer, values: true }).moved;
    expect(["a", "a", "b", "a"].map(ask)).toEqual([undefined, false, true, false]);
  });

  it("forgets the oldest lines", () => {
    const others = Array.from({ length: 20 }, (_, i) => `filler${"abcdefghijklmnopqrst"[i] ?? ""}`);
    expect(gainsOf(["alpha beta", ...others, "alpha beta"], { memory: 10 }).at(-1)).toBe(1);
  });

  it("has no gain in an empty answer", () => {
    expect(gainsOf(["", "  \n"])).toEqual([0, 0]);
  });

  it("names a look by the question that got the same content first", () => {
    const novelty = new NoveltyMemory(100);
    const look = (about: string, answer: string): string =>
      novelty.measure({ about, question: () => about, answer, values: true, content: true }).about;
    expect(look("cat a.ts", "one two\nthree four")).toBe("cat a.ts");
    expect(look("read a.ts", "  1  one two\n  2  three four")).toBe("read a.ts");
    expect(look("sed -n 1,9p a.ts", "one two\nthree four")).toBe("cat a.ts");
    expect(look("cat b.ts", "five six\nseven")).toBe("cat b.ts");
  });

  it("takes a log that grows by the same line for the same answer", () => {
    const novelty = new NoveltyMemory(100);
    const beats = [2, 3, 4].map((count) => "alive at 09:00:01\n".repeat(count));
    const moved = beats.map(
      (answer) => novelty.measure({ about: "q", question: () => "q", answer, values: true }).moved,
    );
    expect(moved).toEqual([undefined, false, false]);
  });

  it("finds a number that goes up and down by itself, and takes a falling or a rising one for news", () => {
    const gains = (loads: readonly number[]): number[] =>
      gainsOf(
        loads.map((load) => `the page is as before, load ${load}`),
        { questions: loads.map(() => "q") },
      );
    expect(gains([40, 31, 38, 29, 44]).slice(2)).toEqual([0, 0, 0]);
    expect(Math.min(...gains([9, 7, 4, 1]))).toBeGreaterThan(0);
    expect(Math.min(...gains([1, 2, 3, 4]))).toBeGreaterThan(0);
  });

  it("takes values for news again when something was changed", () => {
    const novelty = new NoveltyMemory(100);
    const gain = (load: number): number =>
      novelty.measure({ about: "q", question: () => "q", answer: `load ${load}`, values: true }).gain;
    for (const load of [40, 31, 38]) gain(load);
    novelty.noteChange();
    expect(gain(45)).toBeGreaterThan(0);
  });

  it("continues from a snapshot as if nothing had happened", () => {
    const first = new NoveltyMemory(100);
    const measure = (memory: NoveltyMemory, load: number) =>
      memory.measure({ about: "q", question: () => "q", answer: `load ${load}`, values: true });
    for (const load of [40, 31]) measure(first, load);
    const second = new NoveltyMemory(100);
    second.load(first.save());
    expect([38, 33].map((load) => measure(second, load))).toEqual([38, 33].map((load) => measure(first, load)));
    expect(measure(second, 41)).toMatchObject({ gain: 0, moved: false });
  });
});
