import { parseArgs } from "node:util";
import { parts } from "./parts.ts";

/** The command line of the bench: parts to run, a text to print, or a mistake. */
export type BenchOptions =
  | {
      readonly kind: "run";
      readonly names: readonly string[];
      readonly json: boolean;
      readonly strict: boolean;
      readonly write: boolean;
    }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "mistake"; readonly text: string };

/** Reads the arguments of `pnpm bench`. Without a name, all parts are chosen; the order is that of `parts`. */
export function readOptions(args: readonly string[]): BenchOptions {
  const known = Object.keys(parts);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        strict: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const { json, strict, write, help } = values;
    if (help) return { kind: "help", text: renderHelp() };
    const unknown = positionals.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      return {
        kind: "mistake",
        text: `Unknown part: ${unknown.map((name) => `"${name}"`).join(", ")}. The parts are: ${known.join(", ")}.`,
      };
    if (write && positionals.length > 0)
      return { kind: "mistake", text: "--write needs all parts: docs/performance.md has the figures of one run." };
    const names = positionals.length === 0 ? known : known.filter((name) => positionals.includes(name));
    return { kind: "run", names, json, strict, write };
  } catch (error) {
    return { kind: "mistake", text: `${error instanceof Error ? error.message : String(error)}\n\n${renderHelp()}` };
  }
}

function renderHelp(): string {
  const width = Math.max(...Object.keys(parts).map((name) => name.length));
  return [
    "Usage: pnpm bench [<part> ...] [--json] [--strict] [--write]",
    "",
    "Measures Phasekit beside other code in one run and prints each row when it is measured.",
    "Without a part, all of them run.",
    "",
    "Parts",
    ...Object.entries(parts).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
    "",
    "Options",
    "  --json    Print the results as JSON at the end; the rows go to stderr",
    "  --strict  Exit with 1 if a row is over its target",
    "  --write   Write the figures, and the sizes of the built packages, into docs/performance.md",
    "  --help    Print this text",
    "",
    "Ctrl-C ends the bench; the rows so far stay. The parts tracker and cli need recorded runs: set PHASEKIT_DATA.",
  ].join("\n");
}
