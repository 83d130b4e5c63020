import { quote } from "@phasekit/core";
import { jsonInText } from "./json-in-text.ts";

/** What a router decides: who works next, in which phase, and why. */
export interface RoutingDecision {
  /** Names of agents, at least one. `END` ends the conversation. */
  readonly agents: readonly string[];
  /** The phase to work in; the present one when absent. */
  readonly phase?: string;
  readonly reason: string;
}

/** A decision that was understood, or everything that is wrong with it. */
export type ParsedDecision =
  | { readonly decision: RoutingDecision; readonly issues?: undefined }
  | { readonly decision?: undefined; readonly issues: readonly string[] };

/** The reserved name that ends a conversation. */
export const END = "END";

/** Whether a decision ends the conversation. */
export function isEnd({ agents }: Pick<RoutingDecision, "agents">): boolean {
  return agents.some((agent) => agent.toUpperCase() === END);
}

/**
 * Reads a routing decision from an object or from what a model wrote: plain JSON, JSON in a fenced block, or JSON
 * between other words.
 *
 * @example
 * parseRoutingDecision('I think so:\n```json\n{"agents":["executor"],"phase":"execute","reason":"ready"}\n```')
 */
export function parseRoutingDecision(given: unknown): ParsedDecision {
  const candidates = typeof given === "string" ? jsonInText(given) : [given];
  let first: readonly string[] | undefined;
  for (const candidate of candidates) {
    const checked = checkDecision(candidate);
    if (checked.decision !== undefined) return checked;
    first ??= checked.issues;
  }
  return { issues: first ?? ["there is no JSON object in it"] };
}

function checkDecision(value: unknown): ParsedDecision {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { issues: ["it is not an object"] };
  const { agents, phase, reason } = value as Readonly<Record<string, unknown>>;
  const issues: string[] = [];
  const names = Array.isArray(agents) ? [...new Set((agents as readonly unknown[]).map(nameOf))] : [];
  if (!Array.isArray(agents) || names.length === 0) issues.push("`agents` must be a list of at least one name");
  else if (names.includes("")) issues.push("`agents` must hold names only");
  if (phase !== undefined && phase !== null && typeof phase !== "string") issues.push(`\`phase\` must be the name of a phase, not ${quote(phase)}`);
  if (typeof reason !== "string" || reason.trim() === "") issues.push("`reason` must say why");
  if (issues.length > 0) return { issues };
  const wanted = nameOf(phase);
  return { decision: { agents: names, ...(wanted !== "" && { phase: wanted }), reason: String(reason) } };
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The known name that is meant: the same one, or the only one that differs in case alone. */
export function matchName(given: string, known: readonly string[]): string | undefined {
  if (known.includes(given)) return given;
  const alike = known.filter((name) => name.toLowerCase() === given.trim().toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}
