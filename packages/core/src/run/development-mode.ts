import { hostTypes, type RunEvent } from "../events/run-event.ts";
import type { RunPort } from "./run.ts";

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

/** Prints what a run records about mistakes of its host and its policies. */
export function printProblems(run: Pick<RunPort, "subscribe">): void {
  if (!isDevelopment()) return;
  run.subscribe((step) => {
    for (const event of step) {
      const text = problemOf(event);
      if (text !== undefined) printOnce(text);
    }
  });
}

function problemOf(event: RunEvent): string | undefined {
  if (event.type === "policy.failed")
    return `policy "${event.policy}" failed in ${event.during} and decided nothing: ${event.message}.`;
  if (event.type !== "event.rejected") return undefined;
  const issues = event.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (event.issues.some(({ path }) => path === "type")) issues.push(`the types are ${hostTypes.join(", ")}`);
  return `the event "${event.rejected}" was rejected and changed nothing. ${issues.join("; ")}.`;
}
