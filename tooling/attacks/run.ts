import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Attack, AttackTotal } from "./attack.ts";

/**
 * Runs every `*.attack.ts` of this folder, or those whose name contains an argument, and prints a totals table. Exits
 * with 1 if a case did not hold. `--seconds <n>` bounds each search.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "300" } },
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new Error(`--seconds needs a positive number, got "${values.seconds}".`);

const rows: (AttackTotal & { readonly attack: string })[] = [];
for (const file of globSync("*.attack.ts", { cwd: import.meta.dirname }).sort()) {
  if (positionals.length > 0 && !positionals.some((name) => file.includes(name))) continue;
  const { attack } = (await import(join(import.meta.dirname, file))) as { readonly attack: Attack };
  console.log(`${attack.name} …`);
  for (const total of await totalsOf(attack)) {
    rows.push({ ...total, attack: attack.name });
    for (const failure of total.failures.slice(0, 50)) console.log(`  FAILED ${total.area}: ${failure}`);
  }
}

console.log("\n| Attack | Area | Tried | Failed | Note |\n| --- | --- | --- | --- | --- |");
for (const { attack, area, tried, failures, note = "" } of rows)
  console.log(`| ${attack} | ${area} | ${tried.toLocaleString("en")} | ${failures.length} | ${note} |`);
const failed = rows.reduce((sum, { failures }) => sum + failures.length, 0);
console.log(`\n${rows.reduce((sum, { tried }) => sum + tried, 0).toLocaleString("en")} tried, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** An attack that throws counts as one failure; the others still run. */
async function totalsOf(attack: Attack): Promise<readonly AttackTotal[]> {
  try {
    return await attack.run({ seconds });
  } catch (error) {
    return [{ area: "the attack itself", tried: 1, failures: [String(error)] }];
  }
}
