import type { HostileText } from "./hostile-text.ts";

/** Something that reads untrusted text. A promise is awaited; an error the reader throws is its answer. */
export interface Reader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** CPU milliseconds 100 kB may take. @default 50 */
  readonly limit?: number;
}

/** How long a reader took for one hostile text. */
export interface Growth {
  /** CPU milliseconds at the longest length that was tried. */
  readonly ms: number;
  readonly length: number;
  /** CPU time per length, shortest first. */
  readonly steps: readonly { readonly length: number; readonly ms: number }[];
  /** Grows faster than its length, or is over the limit again and again. */
  readonly problem?: string;
}

const LENGTHS = [60, 250, 1000, 10_000, 100_000];
/**
 * CPU milliseconds under which nothing is wrong, whatever the ratio: timers, collections and compilers cost as much.
 */
const NOISE = 12;
const TRIES = 5;
/** A length ten times as long may take thirty times as long before it counts as more than linear. */
const ROOM = 3;

/**
 * Reads one hostile text at growing lengths and compares the CPU time of this thread. The shorter lengths come first,
 * so that a text that explodes is found before it blocks. A slow reading is repeated, and the fastest try counts.
 * `slack` multiplies the limit, for machines that are busy with other work; `quick` leaves out the last length where
 * even a square would stay under the limit.
 */
export async function findGrowth(
  reader: Reader,
  text: HostileText,
  { slack = 1, quick = false }: { readonly slack?: number; readonly quick?: boolean } = {},
): Promise<Growth> {
  const limit = slack * (reader.limit ?? 50);
  // Less than a third of the limit does no harm, whatever its ratio to the time of a shorter text.
  const suspicious = Math.max(NOISE, limit / 3);
  const steps: { readonly length: number; readonly ms: number }[] = [];
  for (const length of LENGTHS) {
    const given = text.make(length);
    const began = performance.now();
    let ms = await cpuTime(reader, given);
    for (let tries = 1; ms > suspicious && tries < TRIES; tries += 1) {
      // Seconds are not noise.
      if (ms > 40 * limit) break;
      ms = Math.min(ms, await cpuTime(reader, given));
    }
    const elapsed = performance.now() - began;
    const before = steps.at(-1);
    steps.push({ length, ms });
    if (quick && length * 10 === LENGTHS.at(-1) && elapsed < limit / 100) break;
    const shape = `${ms.toFixed(1)} ms for ${String(length)} characters`;
    if (ms > limit) return { ms, length, steps, problem: `${shape}, limit ${String(limit)} ms` };
    if (before !== undefined && ms > suspicious) {
      const grown = ms / (await preciseTime(reader, text.make(before.length)));
      if (grown > (ROOM * length) / before.length)
        return {
          ms,
          length,
          steps,
          problem: `${shape}, ${grown.toFixed(0)} times ${String(before.length)} characters`,
        };
    }
  }
  const last = steps.at(-1) ?? { length: 0, ms: 0 };
  return { ...last, steps };
}

/** The CPU time of one short reading: the clock of a thread ticks every few milliseconds, so it is read many times. */
async function preciseTime(reader: Reader, text: string): Promise<number> {
  let count = 0;
  let sum = 0;
  while (sum < 5 * NOISE && count < 2000) {
    sum += await cpuTime(reader, text);
    count += 1;
  }
  return Math.max(sum / count, 0.001);
}

/** CPU milliseconds of this thread for the fastest of several tries. */
export async function fastestOf(read: () => unknown): Promise<number> {
  let ms = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) ms = Math.min(ms, await cpuTime({ name: "", read }, ""));
  return ms;
}

async function cpuTime({ read }: Reader, text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await read(text);
  } catch {
    // A refusal is an answer; only its time counts here.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
