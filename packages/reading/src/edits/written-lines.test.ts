import { callOf } from "@phasekit/core/account";
import { describe, expect, it } from "vitest";
import { reading } from "../reading.ts";

interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
}

const edit: Step = {
  tool: "Edit",
  input: { file_path: "/p/a.ts", old_string: "return 1;", new_string: "return computeTotal(items);" },
  output: "The file /p/a.ts has been updated.",
};
const read = (output: string, more: Readonly<Record<string, unknown>> = {}): Step => ({
  tool: "Read",
  input: { file_path: "/p/a.ts", ...more },
  output,
});

function lastChanges(steps: readonly Step[]): readonly string[] {
  const source = reading();
  const { interpret } = typeof source === "function" ? source() : source;
  const changes = steps.map(({ tool, input, output }) => {
    const result = { outcome: "ok" as const, output };
    const call = { ...result, meaning: interpret({ tool, input }, result) ?? {} };
    expect(callOf(call).failed).toBe(false);
    return callOf(call).changes.map(({ path, how }) => `${how} ${path}`);
  });
  return changes.at(-1) ?? [];
}

describe("a file that is read after it was changed", () => {
  it.each([
    { shown: "1→export const total = () => {\n2→  return computeTotal(items);\n3→};", gone: false },
    { shown: "1→export const total = () => {\n2→  return 1;\n3→};", gone: true },
  ])("has lost the change: $gone", ({ shown, gone }) => {
    expect(lastChanges([edit, read(shown)])).toEqual(gone ? ["restore /p/a.ts"] : []);
  });

  const two: readonly Step[] = ["first", "second"].map((name) => ({
    ...edit,
    input: { ...edit.input, old_string: `const ${name} = items;`, new_string: `const ${name} = sorted(items);` },
  }));
  it.each([
    { shown: "9→  const first = items;\n10→  const second = items;", gone: true },
    { shown: "9→  const first = items;", gone: false },
    { shown: "90→  something else in this file", gone: false },
  ])("a part of it shows two of the replaced lines: $gone", ({ shown, gone }) => {
    expect(lastChanges([...two, read(shown, { offset: 9, limit: 2 })])).toEqual(gone ? ["restore /p/a.ts"] : []);
  });

  it("says nothing if it was written whole in between, or was never changed", () => {
    const write: Step = { tool: "Write", input: { file_path: "/p/a.ts", content: "x" }, output: "File written." };
    expect(lastChanges([edit, write, read("1→x")])).toEqual([]);
    expect(lastChanges([read("1→x")])).toEqual([]);
  });

  it("still has the change if a later edit rewrote a part of it", () => {
    const again = { ...edit, input: { ...edit.input, old_string: "items", new_string: "items, prices" } };
    expect(lastChanges([edit, again, read("1→  return computeTotal(items, prices);")])).toEqual([]);
  });
});
