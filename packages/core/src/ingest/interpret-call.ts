import { messageOf } from "../text/error-shape.ts";
import type { EventIssue } from "../events/field.ts";
import type { IngestFault } from "../events/run-event.ts";
import { mergeMeanings, type ToolCall, type ToolResult } from "./interpreter.ts";
import { isObject, type LooseObject } from "../text/loose-object.ts";
import { meaning as meaningField, type Meaning } from "../events/meaning.ts";
import { refusePromise } from "../run/settle-quietly.ts";
import { faultsOf, hasReadFault } from "./faults-of.ts";
import type { IngestContext } from "./ingest-context.ts";
import { callId } from "./stamp-event.ts";

interface Answer {
  readonly name: string;
  readonly meaning: Meaning;
}

/** An event with its meaning, and the answers the meaning was merged from. */
export interface Interpretation {
  readonly input: LooseObject;
  readonly answers: readonly Answer[];
  /** The meaning of the request, without its result. */
  readonly base?: Meaning | undefined;
  readonly failures: IngestFault[];
  /** True if an interpreter is not asked any more, because it failed too often. */
  readonly skips: boolean;
}

/** Adds a meaning to a tool event that has none. Other events stay as they are. */
export function interpretCall(source: LooseObject, context: IngestContext): Interpretation {
  const { type, meaning } = source;
  if (type !== "tool.requested" && type !== "tool.finished")
    return { input: source, answers: [], failures: [], skips: false };
  const call = callId(source["call"]);
  const pending = call === undefined ? undefined : context.view.pending.get(call);
  const tool = source["tool"] ?? pending?.tool;
  if (meaning !== undefined) {
    const input = source["tool"] === undefined ? { ...source, tool } : source;
    return { input, answers: [], failures: [], skips: false };
  }
  const toolCall = { tool: typeof tool === "string" ? tool : "", input: source["input"] ?? pending?.input };
  const result = type === "tool.finished" ? resultOf(source) : undefined;
  // The meaning of the request fills the fields the result says nothing about.
  const base = type === "tool.finished" ? pending?.meaning : undefined;
  const failures = faultsOf(source).filter(({ during }) => during !== "interpret");
  const before = source["input"] === undefined ? base : undefined;
  const answers = askInterpreters({ call: toolCall, result, before }, failures, context);
  const skips = context.interpreters.some(({ name }) => context.view.disabled.has(name));
  return { input: addMeaning({ ...source, tool }, { answers, base, failures }), answers, base, failures, skips };
}

/** Keeps the answers that can be stored. The others count as failures of their interpreters. */
export function dropBadAnswers(
  { input, answers, base, failures, skips }: Interpretation,
  { clip }: Pick<IngestContext, "clip">,
): Interpretation {
  const good = answers.filter(({ name, meaning }) => {
    const issues: EventIssue[] = [];
    try {
      meaningField.take(meaning, "meaning", { clip, issues });
    } catch (error) {
      issues.push({ path: "meaning", message: messageOf(error) });
    }
    const [issue] = issues;
    if (issue !== undefined)
      failures.push({ name, during: "interpret", message: `TypeError: ${issue.path}: ${issue.message}` });
    return issue === undefined;
  });
  return { input: addMeaning(input, { answers: good, base, failures }), answers: good, base, failures, skips };
}

/** Says in the meaning of a call that it could not be read, so that no policy takes it for a call without effect. */
export function markUnread(input: LooseObject, { skips }: Pick<Interpretation, "skips">): LooseObject {
  const { type, meaning } = input;
  if ((type !== "tool.requested" && type !== "tool.finished") || !isObject(meaning)) return input;
  return skips || hasReadFault(input) ? { ...input, meaning: { ...meaning, unread: true } } : input;
}

function addMeaning(
  source: LooseObject,
  { answers, base, failures }: Omit<Interpretation, "input" | "skips">,
): LooseObject {
  let merged: Meaning | undefined;
  for (const { meaning } of answers) merged = merged === undefined ? meaning : mergeMeanings(merged, meaning);
  const answer = merged ?? {};
  return { ...source, meaning: base === undefined ? answer : mergeMeanings(answer, base), faults: failures };
}

function resultOf({ outcome: given, output, exitCode }: LooseObject): ToolResult {
  const outcome = given === "error" || given === "denied" ? given : "ok";
  return typeof exitCode === "number" ? { outcome, output, exitCode } : { outcome, output };
}

interface Question {
  readonly call: ToolCall;
  readonly result: ToolResult | undefined;
  readonly before: Meaning | undefined;
}

function askInterpreters(
  { call, result, before }: Question,
  failures: IngestFault[],
  { view, interpreters }: Pick<IngestContext, "view" | "interpreters">,
): readonly Answer[] {
  const answers: Answer[] = [];
  for (const interpreter of interpreters) {
    const { name } = interpreter;
    if (view.disabled.has(name)) continue;
    try {
      const meaning: unknown = interpreter.interpret(call, result, before);
      if (meaning === undefined || meaning === null) continue;
      refusePromise(meaning, "an interpreter answers");
      // A copy, so that neither a later change of the answer nor a member that throws is met after this.
      answers.push({ name, meaning: { ...(meaning as Meaning) } });
    } catch (error) {
      failures.push({ name, during: "interpret", message: messageOf(error) });
    }
  }
  return answers;
}
