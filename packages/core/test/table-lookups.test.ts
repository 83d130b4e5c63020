import { findTableLookups } from "@phasekit/tooling/table-lookups";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const FOUND = [
  ["const t: Record<string, number> = { a: 1 }; export const x = t[fromOutside];", "t[fromOutside]"],
  ["const t: Record<string, unknown> = { a: 1 }; export const x = t[fromOutside];", "t[fromOutside]"],
  ["const t = { a: 1 }; export const x = t[fromOutside as keyof typeof t];", "t[fromOutside as keyof typeof t]"],
  ["const t: Record<string, number> = {}; t[fromOutside] = 1;", "t[fromOutside]"],
  ["const t = { a: 1 }; export const x = fromOutside in t;", "fromOutside in t"],
  ["const t: Record<string, number> = { a: 1 }; export const { [fromOutside]: x } = t;", "[fromOutside]: x"],
  ["export const x = (t: Record<string, number>, word: 'a' | (string & {})) => t[word];", "t[word]"],
  ["export const x = (given: { [key: string]: string }) => given[`${fromOutside}s`];", "given[`${fromOutside}s`]"],
  ["export const x = ({ a: 1 } as Record<string, 1>)[fromOutside];", "({ a: 1 } as Record<string, 1>)[fromOutside]"],
] as const;

const LEFT = [
  "const t: Record<string, number> = tableOf({ a: 1 }); export const x = t[fromOutside];",
  "const t = new Map([['a', 1]]); export const x = t.get(fromOutside);",
  "const t = { a: 1, b: 2 }; export const x = (key: 'a' | 'b') => t[key];",
  "const t: Record<string, number> = { a: 1 }; export const x = t['a'];",
  "export const x = (given: Readonly<Record<string, unknown>>) => given[fromOutside];",
  "const t: Record<string, number> = {};\n// own key: it is one of ours.\nexport const x = t[fromOutside];",
];

const DECLARED = "declare const fromOutside: string; declare function tableOf<T extends object>(members: T): T;";

const folder = mkdtempSync(join(tmpdir(), "phasekit-tables-"));
afterAll(() => rmSync(folder, { recursive: true }));

// One program for all of them: it takes a second.
const files = new Map(
  [...FOUND.map(([source]) => source), ...LEFT].map((source, index) => [source, join(folder, `${String(index)}.ts`)]),
);
for (const [source, file] of files) writeFileSync(file, `${DECLARED} ${source}`);
const lookups = findTableLookups([...files.values()]);
const lookupsIn = (source: string): readonly string[] =>
  lookups.filter(({ file }) => file === files.get(source)).map(({ text }) => text);

describe("the check of lookups in tables", () => {
  it.each(FOUND)("finds %s", (source, found) => {
    expect(lookupsIn(source)).toEqual([found]);
  });

  it.each(LEFT)("leaves %s", (source) => {
    expect(lookupsIn(source)).toEqual([]);
  });
});
