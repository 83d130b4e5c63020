import { hashText, type Meaning } from "@phasekit/core";
import { firstText, readInput, type ToolInput } from "./tool-input.ts";

const LISTS = ["todos", "plan", "task_list", "items", "tasks"];
const TEXTS = ["plan", "todos", "items", "response", "task_progress"];
const TITLES = ["content", "step", "text", "title", "description", "task"];
const STATES = ["status", "state"];
const MAX_STEPS = 256;

/** What a planning tool's call means: which steps there are, and how many are not done. */
export function fromPlan(named: Meaning, input: ToolInput): Meaning {
  const steps = typeof input === "object" ? LISTS.map((key) => input[key]).find(Array.isArray) : undefined;
  if (steps === undefined) {
    const text = firstText(input, TEXTS);
    return text === undefined ? named : { ...named, notes: { plan: hashText(text.replace(/\[[ x-]\]/gi, "")) } };
  }
  const read = steps.slice(0, MAX_STEPS).map((step: unknown) => readInput(step));
  const titles = read.map((step) => (typeof step === "string" ? step : (firstText(step, TITLES) ?? "")));
  const open = read.filter((step) => !isDone(firstText(step, STATES) ?? ""));
  return { ...named, notes: { plan: hashText(titles.join("\n")), openTodos: open.length } };
}

/** Whether a todo in this state needs no more work. */
export function isDone(status: string): boolean {
  return /^(?:completed?|done|cancell?ed|skipped)$/i.test(status);
}
