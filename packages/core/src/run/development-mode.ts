import { type EventOf, hostTypes, type RunEvent } from "../events/run-event.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import type { RunSetup } from "../policies/policy.ts";
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
  for (const name of Object.keys(options))
    if (!Object.hasOwn(OPTIONS, name))
      printOnce(`createRun() has no option "${name}". It has ${Object.keys(OPTIONS).join(", ")}.`);
  const { policies = [] } = options as RunOptions;
  run.subscribe((step) => {
    for (const event of step) {
      if (event.type === "run.started") printNeeds(event, policies);
      const text = problemOf(event, run.view);
      if (text !== undefined) printOnce(text);
    }
  });
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
