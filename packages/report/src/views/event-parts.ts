import type { RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { isObject, toObject } from "@phasekit/core/adapter";
import { diffFields, type DiffLine, editDiff } from "./work/edit-diff.ts";
import { visibleText } from "./visible-text.ts";
import { textOf } from "./work/work-rows.ts";

/** An event for people: short values by name, long texts, and the diff of an edit. */
export interface EventParts {
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly diff: readonly DiffLine[];
}

/** Longer values are texts of their own. */
const SHORT = 120;
/** Members that the list of events shows already, or that mean nothing to people. */
const HIDDEN: ReadonlySet<string> = new Set([
  "type",
  "seq",
  "at",
  "v",
  "hash",
  "length",
  "index",
  "turn",
  "call",
  "meaning",
  "cause",
]);

/** Converts an event to what its panel shows. */
export function eventParts(event: RunEvent): EventParts {
  const values: (readonly [string, string])[] = [];
  const texts: (readonly [string, string])[] = [];
  const add = (name: string, value: unknown): void => {
    const text = visibleText(valueText(value));
    if (text === "") return;
    if (text.length > SHORT || text.includes("\n")) texts.push([name, text]);
    else values.push([name, text]);
  };
  const [path = ""] = event.type === "tool.requested" ? callOf(event).edits : [];
  const diff = event.type === "tool.requested" && path !== "" ? editDiff(event.input, path) : [];
  for (const [name, value] of Object.entries(event)) {
    if (HIDDEN.has(name)) continue;
    if (name === "output") add(name, textOf(value));
    else if (name === "input" && isObject(value)) {
      for (const [key, part] of Object.entries(toObject(value)))
        if (diff.length === 0 || !diffFields.has(key)) add(key, part);
    } else if (name !== "input" || diff.length === 0) add(wordsOf(name), value);
  }
  return { values, texts, diff };
}

/** "durationMs" is "duration ms". */
const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Values deeper than this stay JSON. */
const MAX_DEPTH = 6;

/** Renders a value as lines, with the members of what is inside it below its name. */
function valueText(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined || value === null) return "";
  if (depth >= MAX_DEPTH) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((part: unknown) => `- ${indented(valueText(part, depth + 1))}`).join("\n");
  return Object.entries(toObject(value))
    .filter(([, part]) => part !== undefined && part !== null)
    .map(([name, part]) => {
      const text = valueText(part, depth + 1);
      const isBelow = text.includes("\n") || Array.isArray(part);
      return `${wordsOf(name)}:${isBelow ? `\n  ${indented(text)}` : ` ${text}`}`;
    })
    .join("\n");
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ");
