import { Linter } from "eslint";
import { describe, expect, it } from "vitest";
import { deterministicSources } from "./deterministic-sources.ts";

const linter = new Linter();
const problemsOf = (code: string): number =>
  linter.verify(code, {
    plugins: { phasekit: { rules: { deterministic: deterministicSources } } },
    rules: { "phasekit/deterministic": "error" },
  }).length;

describe("deterministicSources", () => {
  it.each([
    "new Date();",
    "Date();",
    "new Intl.NumberFormat('en');",
    "performance.now();",
    "crypto.randomUUID();",
    "new WeakRef({});",
    "(5).toLocaleString();",
    "'a'.localeCompare('b');",
    "let count = 0; export const next = () => (count += 1);",
    "let last; export const keep = (value) => { last = value; };",
    "let calls = 0; export const call = () => { calls++; };",
  ])("deterministicSources finds %s", (code) => {
    expect(problemsOf(code)).toBe(1);
  });

  it.each([
    "new Date(5);",
    "export const at = (time) => new Date(time).toISOString();",
    "let table; export const lookUp = () => (table ??= new Map());",
    "export const counter = () => { let count = 0; return () => (count += 1); };",
    "const Intl = 5; export const x = Intl;",
    "const limits = { most: 5 }; export { limits };",
    "new WeakMap();",
  ])("deterministicSources accepts %s", (code) => {
    expect(problemsOf(code)).toBe(0);
  });
});
