import { clipJson, clipText, type ClipLimits } from "./clip.ts";
import { type FactIssue, type Field, takeFields, type Taking } from "./facts/field.ts";
import { type DoorFailure, doorFailures, hostFacts, type HostEvent, type HostType, hostTypes, isHostType } from "./facts/run-event.ts";
import { hashText } from "./hash.ts";
import type { Interpreter, ToolCall, ToolResult } from "./interpreter.ts";
import { mergeMeanings } from "./interpreter.ts";
import { type Json, type JsonObject, normalizeJson, toJson } from "./json.ts";
import type { Meaning } from "./meaning.ts";
import { messageOf } from "./error-shape.ts";
import type { ViewState } from "./view-state.ts";

/** Removes what must not be stored. Gets the whole fact as JSON, before anything is cut; must give the same for its own output. */
export type Redactor = (fact: JsonObject) => JsonObject;

/** What the door needs to take a fact. */
export interface Door {
  readonly view: ViewState;
  readonly interpreters: readonly Interpreter[];
  readonly redact: Redactor | undefined;
  readonly clip: Required<ClipLimits>;
  readonly clock: () => number;
}

/** A fact that was taken, or what is wrong with it. */
export type Taken =
  | { readonly event: HostEvent }
  | { readonly event: undefined; readonly issues: readonly FactIssue[] };

type Source = Readonly<Record<string, unknown>>;

const entriesByType = new Map<HostType, readonly (readonly [string, Field<unknown>])[]>(
  hostTypes.map((type) => [type, Object.entries(hostFacts[type])]),
);

/** Every issue of a fact, with paths; none when `record` would take it as far as its shape goes. */
export function checkFact(fact: unknown): readonly FactIssue[] {
  const taking: Taking = { clip: UNCLIPPED, issues: [] };
  const source = checkType(fact, taking.issues);
  if (source === undefined) return taking.issues;
  const loose = withMessage(source, { ...source, meaning: source["meaning"] ?? {}, tool: source["tool"] ?? "-" });
  takeFields(entriesByType.get(source["type"] as HostType) ?? [], loose, { into: {}, taking });
  return taking.issues;
}

const UNCLIPPED = { input: Infinity, output: Infinity, text: Infinity };

/** Interprets, redacts, clips and stamps a fact. */
export function takeFact(fact: unknown, door: Door): Taken {
  const issues: FactIssue[] = [];
  const source = checkType(fact, issues);
  if (source === undefined) return { event: undefined, issues };
  const type = source["type"] as HostType;
  const entries = entriesByType.get(type) ?? [];
  const whole = interpreted(source, door);
  const told = door.redact === undefined ? whole : redacted(whole, door.redact);
  const event = stamp(type, told, door);
  takeFields(entries, withMessage(source, told), { into: event, taking: { clip: door.clip, issues } });
  if (told["host"] !== undefined) event["host"] = clipJson(normalizeJson(told["host"]), door.clip.text);
  const faults = Array.isArray(told["faults"]) ? doorFailures.take(told["faults"], "faults", { clip: door.clip, issues }) : undefined;
  if (faults !== undefined && faults.length > 0) event["faults"] = faults;
  return issues.length > 0 ? { event: undefined, issues } : { event: event as unknown as HostEvent };
}

function checkType(fact: unknown, issues: FactIssue[]): Source | undefined {
  if (typeof fact !== "object" || fact === null) {
    issues.push({ path: "", message: "a fact is an object with a type" });
    return undefined;
  }
  const { type } = fact as Source;
  if (typeof type !== "string" || !isHostType(type)) {
    issues.push({ path: "type", message: `${typeof type === "string" ? JSON.stringify(type) : typeof type} is not the name of a host fact` });
    return undefined;
  }
  return fact as Source;
}

/** The members every event has, in their order, before those of its type. */
function stamp(type: HostType, told: Source, { view, clock }: Door): Record<string, unknown> {
  const { at, agent, loop } = told;
  const call = callId(told["call"]);
  const event: Record<string, unknown> = {
    type,
    seq: view.seq + 1,
    at: Math.max(view.now, typeof at === "number" && Number.isFinite(at) ? at : clock()),
  };
  if (typeof agent === "string" && agent !== "") event["agent"] = clipText(agent, 200);
  const opensTurn = type === "turn.started" || (type === "model.answered" && view.turnSource !== "starts");
  const isTool = type === "tool.requested" || type === "tool.finished";
  const pending = isTool && call !== undefined ? view.pending.get(call) : undefined;
  const opensOwn = isTool && view.turnSource === "none" && (type === "tool.requested" || pending === undefined);
  const turn = type === "tool.finished" && pending !== undefined ? pending.turn : view.turn + (opensTurn || opensOwn ? 1 : 0);
  if (turn > 0) event["turn"] = turn;
  if (call !== undefined) event["call"] = call;
  else if (type === "tool.requested") event["call"] = `call-${String(view.nextCall)}`;
  if (isTool) event["index"] = type === "tool.finished" && pending !== undefined ? pending.index : opensOwn ? 0 : view.nextIndex;
  if (typeof loop === "string" && loop !== "") event["loop"] = clipText(loop, 200);
  return event;
}

/** The id of a call as events carry it: a long one is shortened, and still tells calls apart. */
export function callId(call: unknown): string | undefined {
  if (typeof call !== "string" || call === "") return undefined;
  return call.length <= 200 ? call : `${call.slice(0, 180)}#${hashText(call)}`;
}

/** Adds meaning to tool facts that bring none, from the raw values. */
function interpreted(source: Source, { view, interpreters }: Door): Source {
  const { type, meaning } = source;
  if (type !== "tool.requested" && type !== "tool.finished") return source;
  const call = callId(source["call"]);
  const pending = call === undefined ? undefined : view.pending.get(call);
  const tool = source["tool"] ?? pending?.tool;
  const input = source["input"] ?? pending?.input;
  if (meaning !== undefined) return source["tool"] === undefined ? { ...source, tool } : source;
  const toolCall = { tool: typeof tool === "string" ? tool : "", input };
  const result = type === "tool.finished" ? resultOf(source) : undefined;
  // What was understood from the request alone stands for the fields the result says nothing about.
  const base = type === "tool.finished" && pending !== undefined ? pending.meaning : undefined;
  const failures = failuresOf(source).filter(({ during }) => during !== "interpret");
  const asking = { view, interpreters, failures, before: source["input"] === undefined ? base : undefined };
  const answer = askInterpreters(toolCall, result, asking) ?? {};
  return { ...source, tool, meaning: base === undefined ? answer : mergeMeanings(answer, base), faults: failures };
}

function resultOf({ outcome, output, exitCode }: Source): ToolResult {
  const told = outcome === "error" || outcome === "denied" ? outcome : "ok";
  return typeof exitCode === "number" ? { outcome: told, output, exitCode } : { outcome: told, output };
}

function askInterpreters(
  call: ToolCall,
  result: ToolResult | undefined,
  { view, interpreters, failures, before }: Pick<Door, "view" | "interpreters"> & { readonly failures: DoorFailure[]; readonly before: Meaning | undefined },
): Meaning | undefined {
  let merged: Meaning | undefined;
  for (const interpreter of interpreters) {
    if (view.disabled.has(interpreter.name)) continue;
    try {
      const answer = interpreter.interpret(call, result, before);
      if (answer !== undefined) merged = merged === undefined ? answer : mergeMeanings(merged, answer);
    } catch (error) {
      failures.push({ name: interpreter.name, during: "interpret", message: messageOf(error) });
    }
  }
  return merged;
}

/** A message told by its text becomes length, hash and excerpt. */
function withMessage(source: Source, told: Source): Source {
  const { type } = source;
  if (type !== "message.sent" && type !== "message.received") return told;
  const { text } = told;
  return typeof text === "string" ? { ...told, length: text.length, hash: hashText(text), excerpt: text } : told;
}

// Members that only ever hold names and numbers; they stay when a redactor fails.
const SAFE = new Set([
  "type", "at", "call", "tool", "agent", "loop", "outcome", "do", "by", "to", "from", "reason", "run", "phase", "mode",
  "attempt", "check", "verdict", "child", "review", "nudge", "status", "exitCode", "durationMs", "usage", "finishReason",
  "verified", "length", "counts", "limits", "policies", "interpreters", "graph", "how", "until", "gate", "canVeto", "remaining",
]);

function redacted(source: Source, redact: Redactor): Source {
  const json = jsonMembers(source);
  try {
    const answer: unknown = redact(json);
    if (typeof answer !== "object" || answer === null) throw new TypeError("the redactor gave no object back");
    return { ...(answer as Source), ...identityOf(json) };
  } catch (error) {
    return withheld(json, { name: "redact", during: "redact", message: messageOf(error) });
  }
}

/** Every member by itself: one that is too large to be taken whole costs no other its place. */
function jsonMembers(source: Source): JsonObject {
  const members: Record<string, Json> = {};
  for (const key of Object.keys(source).slice(0, MAX_MEMBERS)) {
    const value = source[key];
    if (value !== undefined && key !== "__proto__") members[key] = toJson(value);
  }
  return members;
}

const MAX_MEMBERS = 1000;

/** What tells one fact from another is never redacted. */
function identityOf({ type, call }: JsonObject): Source {
  return call === undefined ? { type } : { type, call };
}

/** Fail closed: what might hold a secret is not stored. */
function withheld(json: JsonObject, failure: DoorFailure): Source {
  const kept: Record<string, unknown> = {};
  const entries = new Map(entriesByType.get(json["type"] as HostType));
  for (const [key, value] of Object.entries(json)) {
    if (SAFE.has(key)) kept[key] = value;
    else if (key === "meaning") kept[key] = meaningWithheld(value);
    else if (entries.get(key)?.optional === false) kept[key] = typeof value === "string" ? "[withheld]" : Array.isArray(value) ? [] : typeof value === "object" ? {} : value;
  }
  if (json["text"] !== undefined) kept["text"] = "[withheld]";
  const others = failuresOf(json).filter(({ during }) => during !== "redact");
  kept["faults"] = [...others.map((other) => ({ ...other, message: "[withheld]" })), failure];
  return kept;
}

/** What failed when the fact was taken before, if it comes from a log, and so far. */
function failuresOf({ faults }: Source): readonly DoorFailure[] {
  return Array.isArray(faults) ? (faults as readonly DoorFailure[]) : [];
}

function meaningWithheld(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const { activity, mutates } = value as JsonObject;
  return { ...(activity !== undefined && { activity }), ...(mutates !== undefined && { mutates }) };
}
