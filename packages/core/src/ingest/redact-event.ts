import { defined } from "../text/defined.ts";
import { errorName } from "../text/error-shape.ts";
import type { HostType, IngestFault } from "../events/run-event.ts";
import { type Json, type JsonObject, toJson } from "../text/json.ts";
import type { LooseObject } from "../text/loose-object.ts";
import { isThenable, settleQuietly } from "../run/settle-quietly.ts";
import { fieldsOf } from "./check-event.ts";
import { faultsOf } from "./faults-of.ts";
import type { IngestContext, Redactor } from "./ingest-context.ts";
import type { Interpretation } from "./interpret-call.ts";

/** Members that only ever hold names and numbers. They stay if a redactor fails. */
const SAFE = new Set(
  [
    "type at call tool agent loop outcome do by to from reason run phase mode attempt check verdict child review nudge",
    "status exitCode durationMs usage finishReason verified length counts limits policies interpreters graph how until",
    "gate canVeto remaining",
  ].flatMap((names) => names.split(" ")),
);
const MAX_MEMBERS = 1000;

/** The event without what the redactor removes. If the redactor fails, without everything that might hold a secret. */
export function redactEvent(source: LooseObject, context: Pick<IngestContext, "redact" | "report">): LooseObject {
  return context.redact === undefined ? source : redactMembers(source, context.redact, context);
}

/**
 * The interpreted event, with the interpreters' answers redacted as well: they may know secrets from elsewhere, or put
 * one together.
 */
export function redactInterpretation(
  { input, answers, failures }: Interpretation,
  context: Pick<IngestContext, "redact" | "report">,
): LooseObject {
  if (context.redact === undefined || (answers.length === 0 && failures.length === 0)) return input;
  const { type, call, tool, meaning } = input;
  const own = { type, call, tool, meaning, faults: failures.filter(({ during }) => during === "interpret") };
  const hasFailed = failures.some(({ during }) => during === "redact");
  const clean = hasFailed ? withhold(toJsonMembers(own)) : redactMembers(own, context.redact, context);
  const others = failures.filter(({ during }) => during !== "interpret");
  return { ...input, meaning: clean["meaning"] ?? {}, faults: [...others, ...faultsOf(clean)] };
}

/** The event without everything that might hold a secret, for a redactor that removed a required field. */
export function withholdEvent(source: LooseObject): LooseObject {
  return withhold(toJsonMembers(source), redactFault("TypeError: the redactor took away what the event needs"));
}

function redactMembers(source: LooseObject, redact: Redactor, { report }: Pick<IngestContext, "report">): LooseObject {
  const json = toJsonMembers(source);
  try {
    const answer: unknown = redact(json);
    const problem = problemOf(answer);
    if (problem === undefined) return { ...(answer as LooseObject), ...identityOf(json) };
    return withhold(json, redactFault(`TypeError: ${problem}`));
  } catch (error) {
    report(error);
    // Its message may quote what it should have removed.
    return withhold(json, redactFault(`${errorName(error)} [withheld]`));
  }
}

function problemOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return "the redactor gave no object back";
  if (!isThenable(answer)) return undefined;
  settleQuietly(answer);
  return "the redactor returned a promise: it answers synchronously";
}

const redactFault = (message: string): IngestFault => ({ name: "redact", during: "redact", message });

/** Converts each member by itself, so that one that is too large does not push out the others. */
function toJsonMembers(source: LooseObject): JsonObject {
  const members: Record<string, Json> = {};
  for (const key of Object.keys(source).slice(0, MAX_MEMBERS)) {
    const value = source[key];
    // own key: "__proto__" is left out.
    if (value !== undefined && key !== "__proto__") members[key] = toJson(value);
  }
  return members;
}

/** The members that identify an event are never redacted. */
function identityOf({ type, call }: JsonObject): LooseObject {
  return call === undefined ? { type } : { type, call };
}

/** Fails closed: a member that might hold a secret is not stored. */
function withhold(json: JsonObject, failure?: IngestFault): LooseObject {
  const kept: Record<string, unknown> = {};
  const fields = new Map(fieldsOf(json["type"] as HostType));
  for (const [key, value] of Object.entries(json)) {
    const left = SAFE.has(key)
      ? value
      : key === "meaning"
        ? withholdMeaning(value)
        : fields.get(key)?.optional === false
          ? emptyLike(value)
          : undefined;
    // own key: every name that is kept is one of ours.
    if (left !== undefined) kept[key] = left;
  }
  if (json["text"] !== undefined) kept["text"] = "[withheld]";
  const others = faultsOf(json).filter(({ during }) => during !== "redact");
  kept["faults"] = [
    ...others.map((other) => ({ ...other, message: "[withheld]" })),
    ...(failure === undefined ? [] : [failure]),
  ];
  return kept;
}

/** A value of the same kind that says nothing. */
function emptyLike(value: Json): Json {
  if (typeof value === "string") return "[withheld]";
  if (Array.isArray(value)) return [];
  return typeof value === "object" ? {} : value;
}

function withholdMeaning(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const { activity, mutates, unread } = value as JsonObject;
  return defined({ activity, mutates, unread });
}
