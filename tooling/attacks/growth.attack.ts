import type { Attack, AttackTotal } from "./attack.ts";
import { endlessSearch, findGrowth } from "@phasekit/tooling/growth";
import { readers } from "./readers.ts";

const MAX_FAILURES = 20;

/** Searches for text that any public reader reads in more than linear time, or in more than 50 ms per 100 kB. */
export const attack: Attack = {
  name: "growth",
  run: async ({ seconds }) => {
    const totals: AttackTotal[] = [];
    for (const [index, reader] of readers.entries()) {
      const until = process.uptime() + seconds / readers.length;
      const failures: string[] = [];
      let tried = 0;
      let slowest = { ms: 0, name: "" };
      for (const text of endlessSearch(index + 1)) {
        if (process.uptime() > until || failures.length >= MAX_FAILURES) break;
        tried += 1;
        const { ms, problem } = await findGrowth(reader, text);
        if (problem !== undefined) failures.push(`${text.name}: ${problem}`);
        if (ms > slowest.ms) slowest = { ms, name: text.name };
      }
      const name = slowest.name.replaceAll("|", "\\|");
      totals.push({ area: reader.name, tried, failures, note: `slowest ${slowest.ms.toFixed(1)} ms: ${name}` });
      console.log(`  ${reader.name}: ${tried} tried, ${failures.length} failed, slowest ${slowest.ms.toFixed(1)} ms`);
    }
    return totals;
  },
};
