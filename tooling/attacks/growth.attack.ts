import { endlessSearch, findGrowth } from "@phasekit/tooling/growth";
import type { Attack, AttackReport, AttackTotal } from "./attack.ts";
import { readers } from "./readers.ts";

const MAX_FAILURES = 20;

/** Searches for text that any public reader reads in more than linear time, or in more than 50 ms per 100 kB. */
export const attack: Attack = {
  name: "growth",
  areas: readers.length,
  run: async (report) => {
    for (const index of readers.keys()) report.total(await searchReader(index, report));
  },
};

/** Reads hostile texts with one reader until its share of the time is over. */
async function searchReader(index: number, { seconds, now, pause }: AttackReport): Promise<AttackTotal> {
  const reader = readers[index];
  if (reader === undefined) throw new Error(`There is no reader ${String(index)}.`);
  const share = seconds / readers.length;
  const startedAt = process.uptime();
  const failures: string[] = [];
  let tried = 0;
  let slowest = { ms: 0, name: "" };
  now(`${reader.name}, ${share.toFixed(0)} s`);
  for (const text of endlessSearch(index + 1)) {
    const spent = process.uptime() - startedAt;
    if (spent > share || failures.length >= MAX_FAILURES) break;
    await pause(Math.floor(spent), Math.ceil(share));
    tried += 1;
    const { ms, problem } = await findGrowth(reader, text);
    if (problem !== undefined) failures.push(`${text.name}: ${problem}`);
    if (ms > slowest.ms) slowest = { ms, name: text.name };
  }
  return { area: reader.name, tried, failures, note: `slowest ${slowest.ms.toFixed(1)} ms: ${slowest.name}` };
}
