import { derivedTypes, type EventOf, hostTypes, type RunEvent } from "../events/run-event.ts";
import type { PhaseSpec } from "../graph/phase-graph.ts";
import type { Policy, RunSetup } from "../policies/policy.ts";
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
  for (const [phase, spec] of Object.entries(graph?.phases ?? {}))
    printUnknown(`phase "${phase}" has no field`, spec, PHASE_FIELDS);
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

const EVENT_TYPES: readonly string[] = [...hostTypes, ...derivedTypes];

function printUnknown(what: string, object: object, known: object): void {
  for (const name of Object.keys(object))
    if (!Object.hasOwn(known, name)) printOnce(`${what} "${name}". It has ${Object.keys(known).join(", ")}.`);
}

const OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  graph: true,
  interpret: true,
  policies: true,
  mode: true,
  id: true,
  task: true,
  folder: true,
  item: true,
  parent: true,
  redact: true,
  clip: true,
  nudges: true,
  maxVetoes: true,
  from: true,
  clock: true,
  createId: true,
  classify: true,
  onError: true,
};

const POLICY_MEMBERS: Readonly<Record<Extract<keyof Policy, string>, true>> = {
  name: true,
  version: true,
  mentions: true,
  mode: true,
  key: true,
  initial: true,
  resetOn: true,
  limits: true,
  needs: true,
  observe: true,
  decide: true,
  alerts: true,
  wakeAt: true,
  guards: true,
  watchText: true,
};

const PHASE_FIELDS: Readonly<Record<keyof PhaseSpec, true>> = {
  next: true,
  purpose: true,
  entry: true,
  work: true,
  exit: true,
  constraints: true,
  guidance: true,
  notes: true,
  agents: true,
  tools: true,
  activities: true,
  model: true,
  timeoutMs: true,
  maxTurns: true,
  share: true,
  partial: true,
  final: true,
  fresh: true,
  waiting: true,
  data: true,
};

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
