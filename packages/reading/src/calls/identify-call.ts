import { hashText } from "@phasekit/core/adapter";
import type { CallInput } from "./read-call.ts";
import { wordSet } from "../word-table.ts";

const MAX_MEMBERS = 2000;
const MAX_TEXT = 4096;
const MAX_LABEL = 80;
const MAX_DEPTH = 6;

/** Arguments that do not change what a call asks for: remarks, limits, ids made anew for every call. */
const REMARKS = wordSet(
  "description explanation reason thought thinking justification security_risk task_progress timeout timeout_ms " +
    "timestamp ts nonce request_id trace_id call_id",
);

/**
 * The identity of the question a call asks, as `tool label #hash`: equal for equal arguments in any order, readable for
 * people. Remarks and a leading `sleep` are not part of the question; a call without input and one with `{}` are equal.
 */
export function identifyCall({ tool, given }: CallInput): string {
  const budget = { left: MAX_MEMBERS };
  const label = labelOf(given);
  return `${tool.slice(0, 60)} ${label} #${hashText(canonical(given ?? {}, { budget, depth: 0 }))}`;
}

/** True for a value that says no more than a missing one. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

interface Walk {
  readonly budget: { left: number };
  readonly depth: number;
}

function canonical(value: unknown, { budget, depth }: Walk): string {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) return "…";
  const walk = { budget, depth: depth + 1 };
  if (typeof value === "string") return essential(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, walk)).join(",")}]`;
  if (value === null || typeof value !== "object") return String(value);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(value).filter((name) => !REMARKS.has(name) && !isUnset(members[name]));
  // A call that has only remarks asks just that.
  const kept = names.length > 0 ? names : Object.keys(value);
  return `{${kept
    .sort()
    .map((name) => `${name}:${canonical(members[name], walk)}`)
    .join(",")}}`;
}

/** A text without outer spaces and without a wait before the command. */
function essential(text: string): string {
  const clipped = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}#${hashText(text)}` : text;
  return clipped.trim().replace(/^sleep [\d.]+[smh]? *(?:;|&&) *(?=\S)/, "");
}

/** The argument a person would name the call by. It is part of the identity, so the order of arguments must not matter. */
function labelOf(given: unknown): string {
  const text = typeof given === "string" ? given : mainText(given);
  const line = text
    .slice(0, 2 * MAX_LABEL)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
}

/** Arguments that name a call better than any other, the best first. Without one of them, the first by name does. */
const MAIN = ["command", "cmd", "pattern", "query", "url", "file_path", "filePath", "path"];

function mainText(given: unknown): string {
  if (given === null || typeof given !== "object") return "";
  const members = given as Readonly<Record<string, unknown>>;
  // A number as a text is a number, and names nothing.
  const isText = (name: string): boolean =>
    typeof members[name] === "string" && !Number.isFinite(Number(members[name]));
  const name =
    MAIN.find((main) => Object.hasOwn(members, main) && isText(main)) ??
    Object.keys(members)
      .sort()
      .find((other) => isText(other) && !REMARKS.has(other));
  return name === undefined ? "" : String(members[name]);
}
