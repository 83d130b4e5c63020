import type { Actor } from "../events/run-event.ts";
import type { GraphIssueCode, Report } from "./graph-issue.ts";
import { ownValue } from "../text/own-value.ts";
import type { PhaseEdge, PhaseGraph, PhaseSpec, RequiredVisit } from "./phase-graph.ts";
import { isObject, type LooseObject } from "../text/loose-object.ts";
import { quote } from "../text/quote.ts";
import { tableOf } from "../text/table-of.ts";

/** The value a field expects, for its issue. */
export type Check = (value: unknown) => string | undefined;

/** True for a string. */
export const isText = (value: unknown): value is string => typeof value === "string";
/** True for a list of strings. */
export const areTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const text: Check = (value) => (isText(value) ? undefined : "a text");
const texts: Check = (value) => (areTexts(value) ? undefined : "a list of texts");
const list: Check = (value) => (Array.isArray(value) ? undefined : "a list");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const record: Check = (value) => (isObject(value) ? undefined : "an object");
const anything: Check = () => undefined;
const above0: Check = (value) =>
  typeof value === "number" && value > 0 && value < Infinity ? undefined : "a number above 0";
const share: Check = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? undefined : "a number between 0 and 1";
const guidance: Check = (value) =>
  isText(value) || (isObject(value) && areTexts(Object.values(value))) ? undefined : "a text, or an object of texts";

// The keys are checked against the types, so a new field cannot be forgotten here.
export const GRAPH_FIELDS: Readonly<Record<keyof PhaseGraph, Check>> = {
  name: text,
  initial: text,
  phases: record,
  required: list,
  inferred: record,
};
export const PHASE_FIELDS: Readonly<Record<keyof PhaseSpec, Check>> = {
  next: list,
  purpose: text,
  entry: texts,
  work: texts,
  exit: texts,
  constraints: texts,
  guidance,
  notes: texts,
  agents: texts,
  tools: record,
  activities: record,
  model: text,
  timeoutMs: above0,
  maxTurns: above0,
  share,
  partial: flag,
  final: flag,
  fresh: flag,
  waiting: flag,
  data: anything,
};
export const EDGE_FIELDS: Readonly<Record<keyof PhaseEdge, Check>> = {
  to: text,
  by: texts,
  fresh: flag,
  guard: (value) => (isText(value) || typeof value === "function" ? undefined : "the name of a guard, or a function"),
};
export const REQUIRED_FIELDS: Readonly<Record<keyof RequiredVisit, Check>> = {
  after: text,
  visit: text,
  before: text,
  when: (value) => (value === "entered" || value === "completed" ? undefined : '"entered" or "completed"'),
};
export const TOOLS_FIELDS: Readonly<Record<keyof NonNullable<PhaseSpec["tools"]>, Check>> = {
  allow: texts,
  deny: texts,
};
export const ACTIVITIES_FIELDS: Readonly<Record<keyof NonNullable<PhaseSpec["activities"]>, Check>> = { deny: texts };
export const ACTORS: Readonly<Record<Actor, true>> = { agent: true, policy: true, judge: true, user: true, host: true };

const CODES: Readonly<Record<string, GraphIssueCode>> = /* @__PURE__ */ tableOf({
  timeoutMs: "NOT_POSITIVE",
  maxTurns: "NOT_POSITIVE",
  share: "BAD_SHARE",
});

/** The fields of an object that have the right type; the others are reported. `path` is empty or ends with a dot. */
export function readFields(
  value: LooseObject,
  {
    path,
    fields,
    report,
    needed = [],
  }: {
    readonly path: string;
    readonly fields: Readonly<Record<string, Check>>;
    readonly report: Report;
    readonly needed?: readonly string[];
  },
): LooseObject {
  const taken = new Map<string, unknown>();
  for (const key of new Set([...needed, ...Object.keys(value)])) {
    const check = ownValue(fields, key);
    const found = ownValue(value, key);
    if (check === undefined) {
      report("UNKNOWN_FIELD", step(path, key), `Unknown field. Use one of: ${Object.keys(fields).join(", ")}.`);
    } else if (found !== undefined || needed.includes(key)) {
      const expected = check(found);
      if (expected === undefined) taken.set(key, found);
      else report(CODES[key] ?? "WRONG_TYPE", `${path}${key}`, `Expected ${expected}, found ${describe(found)}.`);
    }
  }
  return Object.fromEntries(taken);
}

/** A wrong value, for its issue. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (isText(value)) return `the text ${quote(value, { max: 40 })}`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : `a value of type ${typeof value}`;
}

/** The path of a member. */
export function step(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}${key}` : `${path.replace(/\.$/, "")}[${quote(key)}]`;
}
