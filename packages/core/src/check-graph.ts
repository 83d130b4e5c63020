import type { Actor } from "./events/run-event.ts";
import { matchesGlob } from "./glob.ts";
import type { PhaseEdge, PhaseGraph, PhaseSpec, RequiredVisit } from "./phase-graph.ts";
import { quote } from "./quote.ts";

/** An error stops a run or makes a declared part impossible; a warning is legal but probably not meant. */
const SEVERITIES = {
  /** A value has another type than its field, as data from a file may. */
  WRONG_TYPE: "error",
  UNKNOWN_FIELD: "warning",
  EMPTY_NAME: "error",
  NO_PHASES: "error",
  UNKNOWN_INITIAL: "error",
  UNKNOWN_TARGET: "error",
  /** A phase named in `required` or `inferred` that the graph lacks. */
  UNKNOWN_PHASE: "error",
  UNKNOWN_ACTOR: "error",
  SELF_EDGE: "warning",
  DUPLICATE_EDGE: "warning",
  UNREACHABLE_PHASE: "error",
  /** A phase without a way out in which a run may not end either. */
  DEAD_END: "error",
  NO_WAY_TO_FINAL: "error",
  NO_FINAL_PHASE: "warning",
  REQUIRED_IMPOSSIBLE: "error",
  REQUIRED_WITHOUT_EFFECT: "warning",
  AMBIGUOUS_END: "warning",
  INFERRED_DENIED: "warning",
  BAD_SHARE: "error",
  SHARES_ABOVE_ONE: "error",
  NOT_POSITIVE: "error",
} as const;

/** The kinds of issues of a graph. */
export type GraphIssueCode = keyof typeof SEVERITIES;

/** One thing that is wrong with a graph, and where. */
export interface GraphIssue {
  readonly code: GraphIssueCode;
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
}

/**
 * Returns every issue of a graph, also of one that came from a file and has the wrong types; never throws.
 * A graph without errors can be run; its phases can all be entered and, once one is final, all lead to an end.
 *
 * @example
 * const issues = checkGraph(parse(yaml));
 * if (issues.some(({ severity }) => severity === "error")) return renderGraphIssues(issues);
 */
export function checkGraph(graph: unknown): readonly GraphIssue[] {
  const issues: GraphIssue[] = [];
  const report: Report = (code, path, message) => issues.push({ code, severity: SEVERITIES[code], path, message });
  const plan = readGraph(graph, report);
  if (plan === undefined) return issues;
  checkEdges(plan, report);
  checkEnds(plan, report);
  checkRequired(plan, report);
  checkInferred(plan, report);
  checkShares(plan, report);
  return issues;
}

/** Issues as text for people, errors first. */
export function renderGraphIssues(issues: readonly GraphIssue[]): string {
  const of = (wanted: GraphIssue["severity"]): readonly GraphIssue[] =>
    issues.filter(({ severity }) => severity === wanted);
  const [errors, warnings] = [of("error"), of("warning")];
  if (issues.length === 0) return "The graph has no issues.";
  const lines = [...errors, ...warnings].map(
    ({ severity, path, message, code }) => `${severity} at ${path}: ${message} (${code})`,
  );
  return [
    `The graph has ${counted(errors.length, "error")} and ${counted(warnings.length, "warning")}.`,
    ...lines,
  ].join("\n");
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

type Report = (code: GraphIssueCode, path: string, message: string) => void;
type Unknowns = Readonly<Record<string, unknown>>;

/** The readable part of a graph. Maps, because a phase may be called "__proto__". */
interface Plan {
  readonly initial: string | undefined;
  readonly phases: ReadonlyMap<string, Phase>;
  readonly required: readonly Visit[];
  readonly inferred: ReadonlyMap<string, readonly string[]>;
}
interface Phase {
  readonly path: string;
  readonly edges: readonly Edge[];
  /** Some moves could not be read. It counts as leading anywhere, so that one mistake is not reported as many. */
  readonly open: boolean;
  readonly final: boolean;
  readonly share: number;
  readonly deniedActivities: readonly string[];
  readonly deniesAllTools: boolean;
}
interface Edge {
  readonly to: string;
  readonly path: string;
  readonly conditional: boolean;
  /** Equal for edges that say the same; absent when a function guards it, which cannot be compared. */
  readonly key: string | undefined;
}
interface Visit extends Pick<RequiredVisit, "after" | "visit" | "before"> {
  readonly path: string;
}

// Reading: from anything to a plan, with an issue for every value that does not fit.

/** The value a field expects, for its issue. */
type Check = (value: unknown) => string | undefined;

const isText = (value: unknown): value is string => typeof value === "string";
const isRecord = (value: unknown): value is Unknowns =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const text: Check = (value) => (isText(value) ? undefined : "a text");
const texts: Check = (value) => (areTexts(value) ? undefined : "a list of texts");
const list: Check = (value) => (Array.isArray(value) ? undefined : "a list");
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");
const record: Check = (value) => (isRecord(value) ? undefined : "an object");
const anything: Check = () => undefined;
const above0: Check = (value) =>
  typeof value === "number" && value > 0 && value < Infinity ? undefined : "a number above 0";
const share: Check = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? undefined : "a number between 0 and 1";
const guidance: Check = (value) =>
  isText(value) || (isRecord(value) && areTexts(Object.values(value))) ? undefined : "a text, or an object of texts";

// The keys are checked against the types, so a new field cannot be forgotten here.
const GRAPH_FIELDS: Readonly<Record<keyof PhaseGraph, Check>> = {
  name: text,
  initial: text,
  phases: record,
  required: list,
  inferred: record,
};
const PHASE_FIELDS: Readonly<Record<keyof PhaseSpec, Check>> = {
  next: list,
  purpose: text,
  entry: texts,
  work: texts,
  exit: texts,
  constraints: texts,
  guidance,
  notes: texts,
  agents: texts,
  tools: record,
  activities: record,
  model: text,
  timeoutMs: above0,
  maxTurns: above0,
  share,
  partial: flag,
  final: flag,
  fresh: flag,
  waiting: flag,
  data: anything,
};
const EDGE_FIELDS: Readonly<Record<keyof PhaseEdge, Check>> = {
  to: text,
  by: texts,
  fresh: flag,
  guard: (value) => (isText(value) || typeof value === "function" ? undefined : "the name of a guard, or a function"),
};
const REQUIRED_FIELDS: Readonly<Record<keyof RequiredVisit, Check>> = {
  after: text,
  visit: text,
  before: text,
  when: (value) => (value === "entered" || value === "completed" ? undefined : '"entered" or "completed"'),
};
const TOOLS_FIELDS: Readonly<Record<keyof NonNullable<PhaseSpec["tools"]>, Check>> = { allow: texts, deny: texts };
const ACTIVITIES_FIELDS: Readonly<Record<keyof NonNullable<PhaseSpec["activities"]>, Check>> = { deny: texts };
const ACTORS: Readonly<Record<Actor, true>> = { agent: true, policy: true, judge: true, user: true, host: true };

const CODES: Readonly<Record<string, GraphIssueCode>> = {
  timeoutMs: "NOT_POSITIVE",
  maxTurns: "NOT_POSITIVE",
  share: "BAD_SHARE",
};

/** The fields of an object that have the right type; the others are reported. `path` is empty or ends with a dot. */
function readFields(
  value: Unknowns,
  {
    path,
    fields,
    report,
    needed = [],
  }: {
    readonly path: string;
    readonly fields: Readonly<Record<string, Check>>;
    readonly report: Report;
    readonly needed?: readonly string[];
  },
): Unknowns {
  const taken: Record<string, unknown> = {};
  for (const key of new Set([...needed, ...Object.keys(value)])) {
    const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    if (check === undefined) {
      report(
        "UNKNOWN_FIELD",
        step(path, key),
        `There is no such field. Use one of: ${Object.keys(fields).join(", ")}.`,
      );
    } else if (found !== undefined || needed.includes(key)) {
      const expected = check(found);
      if (expected === undefined) taken[key] = found;
      else report(CODES[key] ?? "WRONG_TYPE", `${path}${key}`, `Expected ${expected}, found ${describe(found)}.`);
    }
  }
  return taken;
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (isText(value)) return `the text ${quote(value, { max: 40 })}`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : `a value of type ${typeof value}`;
}

function step(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}${key}` : `${path.replace(/\.$/, "")}[${quote(key)}]`;
}

function readGraph(graph: unknown, report: Report): Plan | undefined {
  if (!isRecord(graph)) {
    report("WRONG_TYPE", "graph", `Expected an object with "initial" and "phases", found ${describe(graph)}.`);
    return undefined;
  }
  const {
    name,
    initial,
    phases,
    required = [],
    inferred = {},
  } = readFields(graph, {
    path: "",
    fields: GRAPH_FIELDS,
    report,
    needed: ["initial", "phases"],
  });
  if (isText(name) && name.trim() === "")
    report("EMPTY_NAME", "name", "The graph has an empty name. Leave it out or write one.");
  if (!isRecord(phases)) return undefined;
  const specs = Object.entries(phases);
  if (specs.length === 0) report("NO_PHASES", "phases", "The graph has no phases. Declare at least one.");
  return {
    initial: isText(initial) ? initial : undefined,
    phases: new Map(specs.map(([phase, spec]) => [phase, readPhase(phase, spec, report)])),
    required: (required as readonly unknown[]).flatMap((rule, index) =>
      readRequired(rule, `required[${String(index)}]`, report),
    ),
    inferred: new Map(
      Object.entries(inferred as Unknowns).flatMap(([phase, activities]) => {
        if (areTexts(activities)) return [[phase, activities] as const];
        report("WRONG_TYPE", step("inferred.", phase), `Expected a list of activities, found ${describe(activities)}.`);
        return [];
      }),
    ),
  };
}

function readPhase(name: string, spec: unknown, report: Report): Phase {
  const path = step("phases.", name);
  if (name.trim() === "") report("EMPTY_NAME", path, "A phase has an empty name. Give it one.");
  if (!isRecord(spec)) report("WRONG_TYPE", path, `Expected an object with "next", found ${describe(spec)}.`);
  const fields = isRecord(spec)
    ? readFields(spec, { path: `${path}.`, fields: PHASE_FIELDS, report, needed: ["next"] })
    : {};
  const part = (key: "tools" | "activities", parts: Readonly<Record<string, Check>>): Unknowns =>
    isRecord(fields[key]) ? readFields(fields[key], { path: `${path}.${key}.`, fields: parts, report }) : {};
  const { allow, deny = [] } = part("tools", TOOLS_FIELDS);
  const { deny: deniedActivities = [] } = part("activities", ACTIVITIES_FIELDS);
  const next = fields["next"] as readonly unknown[] | undefined;
  const edges = (next ?? []).flatMap((edge, index) => readEdge(edge, `${path}.next[${String(index)}]`, report));
  return {
    path,
    edges,
    open: edges.length !== next?.length,
    final: fields["final"] === true,
    share: typeof fields["share"] === "number" ? fields["share"] : 0,
    deniedActivities: deniedActivities as readonly string[],
    // Only a rule about every name is certain: what a tool of the host does is not known here.
    deniesAllTools:
      (areTexts(allow) && allow.length === 0) ||
      (deny as readonly string[]).some((pattern) => pattern !== "" && matchesGlob("", pattern)),
  };
}

function readEdge(edge: unknown, path: string, report: Report): readonly Edge[] {
  if (isText(edge)) return [{ to: edge, path, conditional: false, key: JSON.stringify([edge]) }];
  if (!isRecord(edge)) {
    report("WRONG_TYPE", path, `Expected the name of a phase, or an object with "to", found ${describe(edge)}.`);
    return [];
  }
  const { to, guard, by } = readFields(edge, { path: `${path}.`, fields: EDGE_FIELDS, report, needed: ["to"] });
  if (areTexts(by)) {
    const known = Object.keys(ACTORS).join(", ");
    if (by.length === 0)
      report("UNKNOWN_ACTOR", `${path}.by`, `No actor may take this move. Name some of: ${known}; or leave "by" out.`);
    for (const actor of by) {
      if (!Object.hasOwn(ACTORS, actor))
        report("UNKNOWN_ACTOR", `${path}.by`, `There is no actor ${quote(actor)}. Use some of: ${known}.`);
    }
  }
  if (!isText(to)) return [];
  const conditional = guard !== undefined || by !== undefined;
  return [{ to, path, conditional, key: typeof guard === "function" ? undefined : JSON.stringify([to, guard, by]) }];
}

function readRequired(rule: unknown, path: string, report: Report): readonly Visit[] {
  if (!isRecord(rule)) {
    report("WRONG_TYPE", path, `Expected an object with "after", "visit" and "before", found ${describe(rule)}.`);
    return [];
  }
  const needed = ["after", "visit", "before"];
  const { after, visit, before } = readFields(rule, { path: `${path}.`, fields: REQUIRED_FIELDS, report, needed });
  return isText(after) && isText(visit) && isText(before) ? [{ after, visit, before, path }] : [];
}

// Checking: what the plan says.

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
