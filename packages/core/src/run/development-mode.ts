import { type EventOf, hostTypes, isCoreType, type RunEvent } from "../events/run-event.ts";
import { PHASE_FIELDS } from "../graph/graph-fields.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import type { Policy, RunSetup } from "../policies/policy.ts";
import type { RunOptions, RunPort } from "./run.ts";

interface Host {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly stderr?: { readonly isTTY?: boolean };
  };
  readonly console?: { readonly warn: (text: string) => void };
}

// eslint-disable-next-line no-restricted-globals -- the terminal and its variables, where there are any
const host = globalThis as Host;
const printed = new Set<string>();
/** A host that makes mistakes without end must not fill the memory or the screen. */
const MAX_PRINTED = 50;

/** True at a terminal and with `PHASEKIT_DEBUG`; false in production, in tests and where output is piped. */
export function isDevelopment({ process }: Host = host): boolean {
  const env = process?.env ?? {};
  const asked = env["PHASEKIT_DEBUG"];
  if (asked !== undefined && asked !== "") return asked !== "0";
  return process?.stderr?.isTTY === true && env["NODE_ENV"] !== "production" && env["NODE_ENV"] !== "test";
}

/** Prints a mistake and its fix once per process, in development only. */
export function printOnce(text: string): void {
  if (printed.size >= MAX_PRINTED || printed.has(text) || !isDevelopment()) return;
  printed.add(text);
  printWarning(text);
}

/** Prints a warning wherever the runtime has a console. */
export function printWarning(text: string): void {
  host.console?.warn(`phasekit: ${text}`);
}

/** Prints mistakes in the options of a run, and what it records about those of its host and its policies. */
export function printProblems(run: Pick<RunPort, "subscribe" | "view">, options: object): void {
  if (!isDevelopment()) return;
  const { policies = [], graph } = options as RunOptions;
  printUnknown("createRun() has no option", options, OPTIONS);
  for (const [phase, spec] of Object.entries(graph?.phases ?? {}))
    printUnknown(`phase "${phase}" has no field`, spec, PHASE_FIELDS);
  for (const policy of policies.flat()) {
    printUnknown(`policy "${policy.name}" has no member`, policy, POLICY_MEMBERS);
    for (const type of [...Object.keys(policy.observe ?? {}), ...Object.keys(policy.decide ?? {})])
      if (!isCoreType(type)) printOnce(`policy "${policy.name}" waits for "${type}", which is not an event of a run.`);
  }
  run.subscribe((step) => {
    for (const event of step) {
      if (event.type === "run.started") printNeeds(event, policies);
      const text = problemOf(event, run.view);
      if (text !== undefined) printOnce(text);
    }
  });
}

/** Prints the members of an object that nothing reads: most are misspelled. */
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

function printNeeds(
  { mode, limits = {}, interpreters }: EventOf<"run.started">,
  policies: NonNullable<RunOptions["policies"]>,
): void {
  const setup: RunSetup = { mode, limits, interpreters: interpreters.map(({ name }) => name) };
  for (const policy of policies.flat()) {
    const missing = policy.needs?.(setup);
    if (missing !== undefined) printOnce(`policy "${policy.name}" can do nothing here: ${missing}.`);
  }
}

function problemOf(event: RunEvent, { graph, phase, mode }: RunPort["view"]): string | undefined {
  if (event.type === "policy.failed")
    return `policy "${event.policy}" failed in ${event.during} and decided nothing: ${event.message}.`;
  if (event.type === "finish.vetoed" && mode === "gate" && !event.applied && event.held === undefined)
    return `gate "${event.gate}" objected and the agent was not sent back: the host must ask run.beforeFinish() and go on.`;
  if (event.type === "run.finished" && event.reason === "done") return endProblem(graph, phase);
  if (event.type !== "event.rejected") return undefined;
  const issues = event.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (event.issues.some(({ path }) => path === "type")) issues.push(`the types are ${hostTypes.join(", ")}`);
  return `the event "${event.rejected}" was rejected and changed nothing. ${issues.join("; ")}.`;
}

function endProblem(graph: RunPort["view"]["graph"], phase: string): string | undefined {
  const final = Object.keys(graph.phases).filter((name) => phaseSpec(graph, name)?.final === true);
  return final.length === 0 || final.includes(phase)
    ? undefined
    : `a run ended as done in "${phase}", which is not final in its graph; ${final.join(", ")} ${final.length === 1 ? "is" : "are"}.`;
}
