import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textScanner } from "../answers/text-scanner.ts";
import { MovingValues } from "./moving-values.ts";
import { hashText } from "@phasekit/core/adapter";

const MAX_LINES = 512;
const scanner = textScanner();

/** The lines of an answer whose numbers moved by themselves. */
function movedIn(values: MovingValues, about: string, answer: string): readonly number[] {
  const { count } = scanner.scanLines(answer, true);
  values.begin(hashText(about));
  return Array.from({ length: count }, (_, line) => line).filter((line) =>
    values.moveAlone(scanner.readValues(line), scanner),
  );
}

describe("MovingValues", () => {
  it("a number that goes down and up moves by itself, one that only rises does not", () => {
    const values = new MovingValues();
    const answers = [
      [9, 1],
      [4, 2],
      [7, 3],
      [8, 4],
    ].map(([load = 0, done = 0]) => `load: ${String(load)}\ndone: ${String(done)}`);
    expect(answers.map((answer) => movedIn(values, "status", answer))).toEqual([[], [], [0], [0]]);
  });

  it("lines of one shape differ by their order, and by the question", () => {
    const values = new MovingValues();
    for (const answer of ["pod 9\npod 9", "pod 4\npod 9"]) movedIn(values, "pods", answer);
    expect(movedIn(values, "nodes", "pod 7\npod 9")).toEqual([]);
    expect(movedIn(values, "pods", "pod 7\npod 9")).toEqual([0]);
  });

  it("a cleared memory knows no number", () => {
    const values = new MovingValues();
    for (const answer of ["load 9", "load 4"]) movedIn(values, "status", answer);
    values.clear();
    expect(values.save()).toEqual([]);
    expect(movedIn(values, "status", "load 7")).toEqual([]);
  });

  it("the line that was not seen for longest is forgotten first", () => {
    const values = new MovingValues();
    const ask = (about: number, load: number): readonly number[] =>
      movedIn(values, `question ${String(about)}`, `load ${String(load)}`);
    for (const load of [9, 4]) for (let about = 0; about < MAX_LINES; about += 1) ask(about, load);
    ask(0, 4);
    ask(MAX_LINES, 9);
    expect(values.save()).toHaveLength(MAX_LINES);
    expect(ask(0, 7)).toEqual([0]);
    expect(ask(1, 7)).toEqual([]);
  });

  it("agrees with a list that is searched from its beginning, also after a snapshot", () => {
    const step = fc.record({
      about: fc.nat(40),
      loads: fc.array(fc.array(fc.nat(3), { minLength: 0, maxLength: 9 }), { minLength: 1, maxLength: 30 }),
      then: fc.constantFrom("ask", "ask", "ask", "clear", "save"),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
        let values = new MovingValues();
        const plain = new ListedValues();
        for (const { about, loads, then } of steps) {
          const answer = loads.map((numbers) => `load ${numbers.join(" and ")}`).join("\n");
          expect(movedIn(values, String(about), answer)).toEqual(plain.movedIn(String(about), loads));
          if (then === "clear") {
            values.clear();
            plain.clear();
          } else if (then === "save") {
            const saved = values.save();
            values = new MovingValues();
            values.load(structuredClone(saved));
            expect(values.save()).toEqual(saved);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

interface ListedLine {
  readonly key: string;
  readonly numbers: readonly { readonly value: number; readonly step: number; readonly alone: boolean }[];
}

/** The same memory, as slow and simple as it can be. */
class ListedValues {
  #lines: ListedLine[] = [];

  clear(): void {
    this.#lines = [];
  }

  movedIn(about: string, loads: readonly (readonly number[])[]): readonly number[] {
    const shapes = loads.map(({ length }) => length);
    return [...loads.keys()].filter((line) => {
      const now = loads[line] ?? [];
      const nth = shapes.slice(0, line).filter((shape) => shape === now.length).length;
      return now.length > 0 && this.#note(`${about} ${String(now.length)} ${String(nth)}`, now.slice(0, 8));
    });
  }

  #note(key: string, now: readonly number[]): boolean {
    const known = this.#lines.find((line) => line.key === key)?.numbers ?? [];
    const numbers = now.map((value, slot) => {
      const { value: last = value, step: before = 0, alone = false } = known[slot] ?? {};
      const step = value - last;
      return step === 0 ? { value, step: before, alone } : { value, step, alone: alone || (before < 0 && step > 0) };
    });
    this.#lines = [...this.#lines.filter((line) => line.key !== key), { key, numbers }].slice(-MAX_LINES);
    const moved = numbers.filter(({ value }, slot) => value !== (known[slot]?.value ?? value));
    return moved.length > 0 && moved.every(({ alone }) => alone);
  }
}
