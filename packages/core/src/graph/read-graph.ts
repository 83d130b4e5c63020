import { matchesGlob } from "../text/glob.ts";
import {
  ACTIVITIES_FIELDS,
  ACTORS,
  areTexts,
  type Check,
  describe,
  EDGE_FIELDS,
  GRAPH_FIELDS,
  isText,
  PHASE_FIELDS,
  readFields,
  REQUIRED_FIELDS,
  step,
  TOOLS_FIELDS,
} from "./graph-fields.ts";
import type { Report } from "./graph-issue.ts";
import type { RequiredVisit } from "./phase-graph.ts";
import { isObject, type LooseObject } from "../text/loose-object.ts";
import { quote } from "../text/quote.ts";

/** The readable part of a graph. Maps, because a phase may be called "__proto__". */
export interface Plan {
  readonly initial: string | undefined;
  readonly phases: ReadonlyMap<string, Phase>;
  readonly required: readonly Visit[];
  readonly inferred: ReadonlyMap<string, readonly string[]>;
}

/** One phase of a plan. */
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

/** One move of a plan. */
export interface Edge {
  readonly to: string;
  readonly path: string;
  readonly conditional: boolean;
  /** Equal for edges that say the same; absent when a function guards it, which cannot be compared. */
  readonly key: string | undefined;
}

/** One required visit of a plan. */
export interface Visit extends Pick<RequiredVisit, "after" | "visit" | "before"> {
  readonly path: string;
}

/** Reads anything as a graph, with an issue for every value that does not fit. `undefined` if it has no phases. */
export function readGraph(graph: unknown, report: Report): Plan | undefined {
  if (!isObject(graph)) {
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
  if (!isObject(phases)) return undefined;
  const specs = Object.entries(phases);
  if (specs.length === 0) report("NO_PHASES", "phases", "The graph has no phases. Declare at least one.");
  return {
    initial: isText(initial) ? initial : undefined,
    phases: new Map(specs.map(([phase, spec]) => [phase, readPhase(phase, spec, report)])),
    required: (required as readonly unknown[]).flatMap((rule, index) =>
      readRequired(rule, `required[${String(index)}]`, report),
    ),
    inferred: new Map(
      Object.entries(inferred as LooseObject).flatMap(([phase, activities]) => {
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
  if (!isObject(spec)) report("WRONG_TYPE", path, `Expected an object with "next", found ${describe(spec)}.`);
  const fields = isObject(spec)
    ? readFields(spec, { path: `${path}.`, fields: PHASE_FIELDS, report, needed: ["next"] })
    : {};
  const part = (key: "tools" | "activities", parts: Readonly<Record<string, Check>>): LooseObject =>
    isObject(fields[key]) ? readFields(fields[key], { path: `${path}.${key}.`, fields: parts, report }) : {};
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
  if (!isObject(edge)) {
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
        report("UNKNOWN_ACTOR", `${path}.by`, `Unknown actor ${quote(actor)}. Use some of: ${known}.`);
    }
  }
  if (!isText(to)) return [];
  const conditional = guard !== undefined || by !== undefined;
  return [{ to, path, conditional, key: typeof guard === "function" ? undefined : JSON.stringify([to, guard, by]) }];
}

function readRequired(rule: unknown, path: string, report: Report): readonly Visit[] {
  if (!isObject(rule)) {
    report("WRONG_TYPE", path, `Expected an object with "after", "visit" and "before", found ${describe(rule)}.`);
    return [];
  }
  const needed = ["after", "visit", "before"];
  const { after, visit, before } = readFields(rule, { path: `${path}.`, fields: REQUIRED_FIELDS, report, needed });
  return isText(after) && isText(visit) && isText(before) ? [{ after, visit, before, path }] : [];
}
