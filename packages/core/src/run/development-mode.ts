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
