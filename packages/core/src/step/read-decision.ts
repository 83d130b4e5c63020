import type { Json } from "../text/json.ts";
import { type Alert, type Decision, type Nudge, severityOf } from "../policies/decision.ts";
import type { EventType } from "../events/run-event.ts";
import { clipText } from "../text/clip.ts";
import { vouchVerdicts } from "../account/evidence.ts";
import { ownValue } from "../text/own-value.ts";
import { isReason } from "../events/reason-codes.ts";

const LEGAL: Readonly<Record<Decision["decision"], readonly EventType[] | "any">> = {
  nudge: ["turn.started", "review.finished"],
  review: ["turn.started"],
  refuse: ["tool.requested"],
  veto: ["finish.requested"],
  vouch: ["finish.requested"],
  transition: "any",
  alert: "any",
  stop: "any",
  emit: "any",
};

/** The answer of a policy, before it is checked. */
type DecisionMembers = Readonly<Record<string, unknown>>;

const MAX_DECISIONS = 256;
const TEXT = 16_384;
const NAME = 2048;

/** Whatever a policy returned as a list of decisions; policies in JavaScript also return null or false. */
export function readDecisions(answer: unknown, type: EventType): readonly Decision[] {
  if (answer === undefined || answer === null || answer === false) return NOTHING;
  if (!Array.isArray(answer)) return [readDecision(answer, type)];
  return (answer as readonly unknown[]).slice(0, MAX_DECISIONS).map((decision) => readDecision(decision, type));
}

const NOTHING: readonly Decision[] = [];

/**
 * Copies a decision: every member is read once and is of the kind it must be, so that none can throw, change or be too
 * long when it is carried out. Evidence and data become JSON where they are stored.
 *
 * @throws TypeError for what cannot be decided here, or at all
 */
function readDecision(value: unknown, type: EventType): Decision {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`a decision is an object, not ${String(value).slice(0, 40)}`);
  const given = { ...value } as DecisionMembers;
  const decision = checkLegal(given["decision"], type);
  switch (decision) {
    case "nudge":
      return readNudge(given);
    case "transition":
      return {
        decision,
        to: required(given, "to"),
        ...optional(given, "reason", TEXT),
        ...optional(given, "summary", TEXT),
        ...oneOf(given, "outcome", ["completed", "failed", "abandoned"]),
        ...(given["endReason"] !== undefined && { endReason: reasonOf(given["endReason"]) }),
        ...optional(given, "predicate"),
      };
    case "alert":
      return readAlert(given);
    case "refuse":
      return { decision, text: required(given, "text", TEXT) };
    case "veto":
      return {
        decision,
        text: required(given, "text", TEXT),
        ...optional(given, "gate"),
        ...optional(given, "why"),
        ...evidenceOf(given),
        sendBack: given["sendBack"] !== false,
      };
    case "vouch":
      return {
        decision,
        verdict: "pass",
        ...oneOf(given, "verdict", vouchVerdicts),
        ...optional(given, "gate"),
        ...optional(given, "why"),
        ...evidenceOf(given),
      };
    case "review":
      return {
        decision,
        kind: required(given, "kind"),
        text: required(given, "text", TEXT),
        ...optional(given, "episode"),
        ...(given["data"] !== undefined && { data: given["data"] as Json }),
        onlyInGate: given["onlyInGate"] === true,
      };
    case "stop":
      return {
        decision,
        reason: reasonOf(given["reason"]),
        how: "halt",
        ...oneOf(given, "how", ["wrap-up", "halt", "abort"]),
        ...optional(given, "text", TEXT),
        onlyInGate: given["onlyInGate"] === true,
      };
    case "emit":
      return { decision, event: given["event"] as never, data: given["data"] };
  }
}

function checkLegal(decision: unknown, type: EventType): Decision["decision"] {
  const legal = typeof decision === "string" ? ownValue(LEGAL, decision) : undefined;
  if (legal === undefined) throw new TypeError(`"${String(decision)}" is not a decision`);
  if (legal !== "any" && !legal.includes(type))
    throw new TypeError(`${String(decision)} is possible at "${legal.join('" and "')}" only, not at "${type}"`);
  return decision as Decision["decision"];
}

function readNudge(given: DecisionMembers): Nudge {
  return {
    decision: "nudge",
    text: required(given, "text", TEXT),
    priority: finite(given["priority"], 0),
    ...optional(given, "episode"),
    ...optional(given, "topic"),
    times: finite(given["times"], 1),
    guidance: given["guidance"] === true,
  };
}

function readAlert(given: DecisionMembers): Alert {
  const count = finite(given["count"], 1);
  return {
    decision: "alert",
    kind: required(given, "kind"),
    signature: "",
    ...optional(given, "signature"),
    severity: severityOf(count),
    ...oneOf(given, "severity", ["notice", "warning", "critical"]),
    count,
    ...optional(given, "subject"),
    ...evidenceOf(given),
  };
}

function required(given: DecisionMembers, member: string, limit = NAME): string {
  const value = given[member];
  if (typeof value !== "string") throw new TypeError(`${String(given["decision"])} needs a ${member}`);
  return clipText(value, limit);
}

function optional<const TMember extends string>(
  given: DecisionMembers,
  member: TMember,
  limit = NAME,
): { readonly [K in TMember]?: string } {
  const value = given[member];
  if (value === undefined || value === null) return {};
  return { [member]: required(given, member, limit) } as { readonly [K in TMember]?: string };
}

function oneOf<const TMember extends string, const TWord extends string>(
  given: DecisionMembers,
  member: TMember,
  words: readonly TWord[],
): { readonly [K in TMember]?: TWord } {
  const value = given[member];
  if (value === undefined || value === null) return {};
  if (!words.includes(value as TWord))
    throw new TypeError(`${String(given["decision"])} has no ${member} ${JSON.stringify(value)}`);
  return { [member]: value } as { readonly [K in TMember]?: TWord };
}

/** Infinity stays: a nudge may be said without end. */
function finite(value: unknown, otherwise: number): number {
  return typeof value === "number" && !Number.isNaN(value) ? value : otherwise;
}

function reasonOf(reason: unknown): NonNullable<Extract<Decision, { decision: "stop" }>["reason"]> {
  if (isReason(reason)) return reason;
  throw new TypeError(`${JSON.stringify(reason)} is not a reason to stop`);
}

function evidenceOf({ evidence }: DecisionMembers): { readonly evidence?: never } {
  return evidence === undefined ? {} : { evidence: evidence as never };
}
