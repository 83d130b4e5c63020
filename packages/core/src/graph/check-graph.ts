import { step } from "./graph-fields.ts";
import { collectIssues, type GraphIssue, type Report } from "./graph-issue.ts";
import { quote } from "../text/quote.ts";
import { type Edge, type Plan, readGraph, type Visit } from "./read-graph.ts";

/**
 * Returns every issue of a graph, also of one that came from a file and has the wrong types; never throws.
 * A graph without errors can be run; its phases can all be entered and, once one is final, all lead to an end.
 *
 * @example
 * const issues = checkGraph(parse(yaml));
 * if (issues.some(({ severity }) => severity === "error")) return renderGraphIssues(issues);
 */
export function checkGraph(graph: unknown): readonly GraphIssue[] {
  const { issues, report } = collectIssues();
  const plan = readGraph(graph, report);
  if (plan === undefined) return issues;
  checkEdges(plan, report);
  checkEnds(plan, report);
  checkRequired(plan, report);
  checkInferred(plan, report);
  checkShares(plan, report);
  return issues;
}

function checkEdges({ initial, phases }: Plan, report: Report): void {
  const use = useOneOf(phases);
  if (initial !== undefined && phases.size > 0 && !phases.has(initial))
    report("UNKNOWN_INITIAL", "initial", `The graph has no phase ${quote(initial)}. ${use}`);
  for (const [name, { edges }] of phases) {
    const earlier = new Map<string, Edge[]>();
    for (const edge of edges) {
      if (!phases.has(edge.to))
        report("UNKNOWN_TARGET", edge.path, `${quote(name)} leads to ${quote(edge.to)}, which the graph lacks. ${use}`);
      if (edge.to === name) {
        report(
          "SELF_EDGE",
          edge.path,
          `${quote(name)} leads to itself: each such move begins a new stay. Leave it out if that is not meant.`,
        );
      }
      // Two moves to one phase may differ in who takes them and when; an unconditional one makes the others pointless.
      const others = earlier.get(edge.to) ?? [];
      const twin = others.find(
        ({ key, conditional }) => !conditional || !edge.conditional || (key !== undefined && key === edge.key),
      );
      if (twin !== undefined)
        report(
          "DUPLICATE_EDGE",
          edge.path,
          `The move from ${quote(name)} to ${quote(edge.to)} is already at ${twin.path}. Keep one.`,
        );
      earlier.set(edge.to, [...others, edge]);
    }
  }
  if (initial === undefined || !phases.has(initial)) return;
  const reached = reachable(phases, initial).add(initial);
  for (const [name, { path }] of phases) {
    if (!reached.has(name))
      report(
        "UNREACHABLE_PHASE",
        path,
        `No way leads from ${quote(initial)} to ${quote(name)}. Add a move to it, or remove it.`,
      );
  }
}

function useOneOf(phases: ReadonlyMap<string, unknown>): string {
  const names = [...phases.keys()];
  return `Use one of: ${names
    .slice(0, 20)
    .map((name) => quote(name))
    .join(", ")}${names.length > 20 ? ", …" : ""}.`;
}

function checkEnds({ phases }: Plan, report: Report): void {
  if (phases.size === 0) return;
  const finals = [...phases].filter(([, { final }]) => final);
  if (finals.length === 0) {
    report(
      "NO_FINAL_PHASE",
      "phases",
      "No phase is final, so nothing says where a run may end. Mark one with final: true.",
    );
    return;
  }
  const ending = new Set([...finals, ...[...phases].filter(([, { open }]) => open)].map(([name]) => name));
  const sources = new Map<string, string[]>();
  for (const [name, { edges }] of phases) {
    for (const { to } of edges) {
      const known = sources.get(to);
      if (known === undefined) sources.set(to, [name]);
      else known.push(name);
    }
  }
  // A set may grow while it is walked: what is added is visited too.
  for (const name of ending) for (const source of sources.get(name) ?? []) ending.add(source);
  for (const [name, { path, edges }] of phases) {
    if (ending.has(name)) continue;
    if (edges.length === 0)
      report(
        "DEAD_END",
        path,
        `A run that enters ${quote(name)} can neither continue nor end. Add a move, or mark it with final: true.`,
      );
    else
      report(
        "NO_WAY_TO_FINAL",
        path,
        `No way leads from ${quote(name)} to a final phase. Add a move, or mark a phase with final: true.`,
      );
  }
}

function checkRequired({ phases, required }: Plan, report: Report): void {
  for (const { after, visit, before, path } of required) {
    const named = { after, visit, ...(before !== "end" && { before }) };
    const unknown = Object.entries(named).filter(([, phase]) => !phases.has(phase));
    for (const [field, phase] of unknown)
      report("UNKNOWN_PHASE", `${path}.${field}`, `The graph has no phase ${quote(phase)}. ${useOneOf(phases)}`);
    if (before === "end" && phases.has("end")) {
      report(
        "AMBIGUOUS_END",
        `${path}.before`,
        'Here "end" means the end of the run, but a phase has that name too. Rename the phase.',
      );
    }
    if (unknown.length > 0) continue;
    const problem = whyImpossible({ after, visit, before, path }, phases);
    if (problem !== undefined) {
      report("REQUIRED_IMPOSSIBLE", path, `After ${quote(after)} a visit to ${quote(visit)} is owed, but ${problem}`);
    } else if (before === visit) {
      report(
        "REQUIRED_WITHOUT_EFFECT",
        `${path}.before`,
        `Entering ${quote(visit)} is the visit itself, so nothing is held back. Name what must wait for it.`,
      );
    } else if (before !== "end" && !reachable(phases, after).has(before)) {
      report(
        "REQUIRED_WITHOUT_EFFECT",
        `${path}.before`,
        `No way leads from ${quote(after)} to ${quote(before)}, so nothing is held back.`,
      );
    }
  }
}

/** A visit is owed from entering `after` on, and `before` is closed until it was made. */
function whyImpossible({ after, visit, before }: Visit, phases: Plan["phases"]): string | undefined {
  if (visit === after) return "entering it makes the same debt again.";
  if (!reachable(phases, after).has(visit)) return "no way leads there.";
  if (before === visit || reachable(phases, after, before).has(visit)) return undefined;
  return `every way there leads through ${quote(before)}, which is closed until then.`;
}

/** The phases that can be entered after a phase, without entering one that is closed. */
function reachable(phases: Plan["phases"], from: string, closed?: string): Set<string> {
  const reached = new Set<string>();
  const enter = (name: string): void => {
    const { edges = [], open = false } = phases.get(name) ?? {};
    for (const to of open ? phases.keys() : edges.map((edge) => edge.to))
      if (to !== closed && phases.has(to)) reached.add(to);
  };
  enter(from);
  for (const name of reached) enter(name);
  return reached;
}

function checkInferred({ phases, inferred }: Plan, report: Report): void {
  for (const phase of inferred.keys()) {
    if (!phases.has(phase))
      report("UNKNOWN_PHASE", step("inferred.", phase), `The graph has no phase ${quote(phase)}. ${useOneOf(phases)}`);
  }
  for (const [name, { path, edges, deniedActivities, deniesAllTools }] of phases) {
    for (const to of new Set(edges.map((edge) => edge.to))) {
      const leading = to === name ? [] : (inferred.get(to) ?? []);
      const denied = leading.filter((activity) => deniesAllTools || deniedActivities.includes(activity));
      if (denied.length === 0) continue;
      const where = deniesAllTools ? `${path}.tools` : `${path}.activities.deny`;
      const words = denied.map((activity) => quote(activity)).join(", ");
      report(
        "INFERRED_DENIED",
        where,
        `${quote(name)} denies ${words}, which would lead to ${quote(to)}: that move can never be inferred from it.`,
      );
    }
  }
}

function checkShares({ phases }: Plan, report: Report): void {
  const sum = [...phases.values()].reduce((total, phase) => total + phase.share, 0);
  // Shares such as 0.1 have no exact binary form: ten of them sum to a little less or more than 1.
  if (sum > 1 + 1e-9)
    report(
      "SHARES_ABOVE_ONE",
      "phases",
      `The shares of all phases sum to ${String(Number(sum.toFixed(3)))}. Keep them at 1 or less.`,
    );
}
