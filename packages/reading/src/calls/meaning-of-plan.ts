import type { Meaning } from "@phasekit/core";
import { hashText, isDoneTodo } from "@phasekit/core/adapter";
import { firstText, readInput, type ToolInput } from "./tool-input.ts";

const LISTS = ["todos", "plan", "task_list", "items", "tasks"];
const TEXTS = ["plan", "todos", "items", "response", "task_progress"];
const TITLES = ["content", "step", "text", "title", "description", "task"];
const STATES = ["status", "state"];
const MAX_STEPS = 256;

/** The meaning of a planning tool's call: which steps there are, and how many are not done. */
export function fromPlan(named: Meaning, input: ToolInput): Meaning {
  const steps = typeof input === "object" ? LISTS.map((key) => input[key]).find(Array.isArray) : undefined;
  if (steps === undefined) {
    const text = firstText(input, TEXTS);
    return text === undefined ? named : { ...named, notes: { plan: hashText(text.replace(/\[[ x-]\]/gi, "")) } };
  }
  const read = steps.slice(0, MAX_STEPS).map((step: unknown) => readInput(step));
  const titles = read.map((step) => (typeof step === "string" ? step : (firstText(step, TITLES) ?? "")));
  const open = read.filter((step) => !isDoneTodo(firstText(step, STATES) ?? ""));
  return { ...named, notes: { plan: hashText(titles.join("\n")), openTodos: open.length } };
}
