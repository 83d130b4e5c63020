import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Attack } from "./attack.ts";
import { attackCommand } from "./run-attacks.ts";

/*
 * Runs every `*.attack.ts` of this folder, or those whose name contains an argument. Prints each area when it was
 * tried, and a totals table at the end. Exits with 1 if a case did not hold.
 */
const names = globSync("*.attack.ts", { cwd: import.meta.dirname })
  .map((file) => file.replace(".attack.ts", ""))
  .sort();
const USAGE = `Usage: pnpm attacks [<name> ...] [--seconds <n>]

Runs the long hostile tests whose name contains one of the arguments; without an argument, all of them.
Attacks: ${names.join(", ")}

  --seconds <n>  Search for at most <n> seconds per attack (default: 300)
  --help         Print this text

Ctrl-C ends the attacks and prints the table of the areas so far.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "300" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const seconds = Number(values.seconds);
const unknown = positionals.filter((part) => !names.some((name) => name.includes(part)));
if (values.help) console.log(USAGE);
else if (!(seconds > 0)) refuse(`--seconds needs a positive number, got "${values.seconds}".`);
else if (unknown.length > 0)
  refuse(`Unknown attack: ${unknown.map((name) => `"${name}"`).join(", ")}. The attacks are: ${names.join(", ")}.`);
else await attackCommand(await loadAttacks(), { seconds });

function refuse(text: string): void {
  console.error(text);
  process.exitCode = 2;
}

async function loadAttacks(): Promise<readonly Attack[]> {
  const chosen = names.filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
  const attacks: Attack[] = [];
  for (const name of chosen) {
    const file = join(import.meta.dirname, `${name}.attack.ts`);
    attacks.push(((await import(file)) as { readonly attack: Attack }).attack);
  }
  return attacks;
}
