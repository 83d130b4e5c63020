import { derivedTypes, type EventOf, hostTypes, type RunEvent } from "../events/run-event.ts";
import { edgesFrom, type PhaseGraph, type PhaseSpec } from "../graph/phase-graph.ts";
import type { RunSetup } from "../policies/policy.ts";
import { isDevelopment, printOnce } from "./development-mode.ts";
import type { RunOptions, RunPort } from "./run.ts";

/**
 * Prints, in development, what has no effect in a run: mistakes in its options, and what it records about those of its
 * host and its policies. Imported where it is used: a dynamic import would add a chunk to a user's bundle, and webpack
 * cannot load one in a sandbox of workflows.
 */
export function printProblems(run: Pick<RunPort, "subscribe" | "view">, options: object): void {
  if (!isDevelopment()) return;
  const { policies = [], graph } = options as RunOptions;
  printUnknown("createRun() has no option", options, OPTIONS);
  if (graph !== undefined) printPhases(graph);
  for (const policy of policies.flat()) {
    printUnknown(`policy "${policy.name}" has no member`, policy, POLICY_MEMBERS);
    for (const type of [...Object.keys(policy.observe ?? {}), ...Object.keys(policy.decide ?? {})])
      if (!EVENT_TYPES.includes(type))
        printOnce(`policy "${policy.name}" waits for "${type}", which is not an event of a run.`);
  }
  run.subscribe((step) => {
    for (const event of step) {
      const found = event.type === "run.started" ? needsOf(event, policies) : problemsOf(event, run.view);
      found.forEach((text) => printOnce(text));
    }
  });
}

function printPhases(graph: PhaseGraph): void {
  const reached = new Set([graph.initial]);
  // A set may grow while it is walked: what is added is visited too.
  for (const phase of reached) for (const { to } of edgesFrom(graph, phase)) reached.add(to);
  for (const [phase, spec] of Object.entries(graph.phases)) {
    printUnknown(`phase "${phase}" has no field`, spec, PHASE_FIELDS);
    if (!reached.has(phase)) printOnce(`phase "${phase}" has no way in.`);
  }
}

const EVENT_TYPES: readonly string[] = [...hostTypes, ...derivedTypes];

function printUnknown(what: string, object: object, known: string): void {
  const names = known.split(" ");
  for (const name of Object.keys(object))
    if (!names.includes(name)) printOnce(`${what} "${name}". It has ${names.join(", ")}.`);
}

// Texts make a smaller bundle than tables of the types, which print-problems.test.ts has.
export const OPTIONS =
  "graph interpret policies mode id task folder item parent " +
  "redact clip nudges maxVetoes from clock createId classify onError";

export const POLICY_MEMBERS =
  "name version mentions mode key initial resetOn " + "limits needs observe decide alerts wakeAt guards watchText";

export const PHASE_FIELDS =
  "next purpose entry work exit constraints guidance notes agents tools " +
  "activities model timeoutMs maxTurns share partial final fresh waiting data";

function needsOf(
  { mode, limits = {}, interpreters }: EventOf<"run.started">,
  policies: NonNullable<RunOptions["policies"]>,
): readonly string[] {
  const setup: RunSetup = { mode, limits, interpreters: interpreters.map(({ name }) => name) };
  return policies.flat().flatMap((policy) => {
    const missing = policy.needs?.(setup);
    return missing === undefined ? [] : [`policy "${policy.name}" can do nothing here: ${missing}.`];
  });
}

function problemsOf(event: RunEvent, { graph, mode }: RunPort["view"]): readonly string[] {
  switch (event.type) {
    case "policy.failed":
      return [`policy "${event.policy}" failed in ${event.during} and decided nothing: ${event.message}.`];
    case "finish.vetoed":
      return mode === "gate" && !event.applied && event.held === undefined
        ? [
            `gate "${event.gate}" objected and the agent was not sent back: ` +
              "the host must ask run.beforeFinish(), and continue if it says so.",
          ]
        : [];
    case "run.finished":
      return event.reason === "done" ? endProblems(graph, event.phase) : [];
    case "event.rejected": {
      const issues = event.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
      if (event.issues.some(({ path }) => path === "type")) issues.push(`the types are ${EVENT_TYPES.join(", ")}`);
      return [`the event "${event.rejected}" was rejected and changed nothing. ${issues.join("; ")}.`];
    }
    default:
      return [];
  }
}

function endProblems({ phases }: RunPort["view"]["graph"], phase: string): readonly string[] {
  const final = Object.entries<PhaseSpec>(phases).flatMap(([name, spec]) => (spec.final === true ? [name] : []));
  return final.length === 0 || final.includes(phase)
    ? []
    : [
        `a run ended as done in "${phase}", which is not final in its graph; ` +
          `${final.join(", ")} ${final.length === 1 ? "is" : "are"}.`,
      ];
}
