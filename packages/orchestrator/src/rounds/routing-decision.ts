import { isObject, jsonInText, quote } from "@phasekit/core/adapter";

/** A router's decision: who works next, in which phase, and why. */
export interface RoutingDecision {
  /** Names of agents, at least one. `END` ends the conversation. */
  readonly agents: readonly string[];
  /** Phase to work in. @default the current phase */
  readonly phase?: string;
  readonly reason: string;
}

/** A parsed decision, or every problem with it. */
export type ParsedDecision =
  | { readonly decision: RoutingDecision; readonly issues?: undefined }
  | { readonly decision?: undefined; readonly issues: readonly string[] };

/** Reserved agent name that ends a conversation. */
export const END = "END";

/** True if a decision ends the conversation. */
export function isEnd({ agents }: Pick<RoutingDecision, "agents">): boolean {
  return agents.some((agent) => agent.toUpperCase() === END);
}

/**
 * Parses a routing decision from an object or from a model's text: plain JSON, JSON in a fenced block, or JSON inside
 * prose.
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
  return { issues: first ?? ["it contains no JSON object"] };
}

function checkDecision(value: unknown): ParsedDecision {
  if (!isObject(value)) return { issues: ["it is not an object"] };
  const { agents, phase, reason } = value;
  const issues: string[] = [];
  const names = Array.isArray(agents) ? [...new Set((agents as readonly unknown[]).map(nameOf))] : [];
  if (!Array.isArray(agents) || names.length === 0) issues.push("`agents` must be an array with at least one name");
  else if (names.includes("")) issues.push("`agents` must contain only names");
  if (phase !== undefined && phase !== null && typeof phase !== "string")
    issues.push(`\`phase\` must be the name of a phase, not ${quote(phase)}`);
  if (typeof reason !== "string" || reason.trim() === "") issues.push("`reason` must be a non-empty string");
  if (issues.length > 0) return { issues };
  const wanted = nameOf(phase);
  return { decision: { agents: names, ...(wanted !== "" && { phase: wanted }), reason: String(reason) } };
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The known name for a given one: an exact match, or the only match that ignores case. */
export function matchName(given: string, known: readonly string[]): string | undefined {
  if (known.includes(given)) return given;
  const alike = known.filter((name) => name.toLowerCase() === given.trim().toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}
