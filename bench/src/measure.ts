/** Something to measure: `run` does as many operations as a block has. */
export interface Subject<TName extends string = string> {
  readonly name: TName;
  readonly run: () => void;
  /** Called before each block; its time does not count. */
  readonly prepare?: () => void;
}

/** A subject that waits for files, servers or timers. */
export interface AsyncSubject<TName extends string = string> {
  readonly name: TName;
  readonly run: () => Promise<void> | void;
  /** Called before each block; its time does not count. */
  readonly prepare?: () => void;
}

/** Nanoseconds, one value per block. Blocks with the same index ran next to each other. */
export type Samples = readonly number[];

/** Called between two blocks, outside everything that is timed: shows progress and throws after Ctrl-C. */
export type Pause = (done: number, of: number) => Promise<void>;

/** How often subjects are measured. */
export interface Blocks {
  readonly blocks: number;
  /** Blocks before the first one that counts. */
  readonly warmUp?: number;
  readonly pause: Pause;
}

/**
 * Measures subjects in turn, block by block, so that a busy machine slows all of them. Every block begins with another
 * subject and after a small collection, so that none pays for the garbage of the one before it. The samples are times
 * of one operation.
 */
export async function measureInterleaved<const TName extends string>(
  subjects: readonly Subject<TName>[],
  { blocks, count, warmUp = 5, pause }: Blocks & { readonly count: number },
): Promise<Readonly<Record<TName, Samples>>> {
  const samples = new Map<TName, number[]>(subjects.map(({ name }) => [name, []]));
  for (let block = 0; block < warmUp + blocks; block += 1) {
    await pause(block, warmUp + blocks);
    for (const { name, run, prepare } of startingAt(subjects, block)) {
      prepare?.();
      gc("minor");
      const start = process.hrtime.bigint();
      run();
      const spent = Number(process.hrtime.bigint() - start);
      if (block >= warmUp) samples.get(name)?.push(spent / count);
    }
  }
  return Object.fromEntries(samples) as Record<TName, number[]>;
}

/** Measures subjects that wait, in turn, block by block. The samples are times of whole blocks. */
export async function measureAsync<const TName extends string>(
  subjects: readonly AsyncSubject<TName>[],
  { blocks, warmUp = 3, pause }: Blocks,
): Promise<Readonly<Record<TName, Samples>>> {
  const samples = new Map<TName, number[]>(subjects.map(({ name }) => [name, []]));
  for (let block = 0; block < warmUp + blocks; block += 1) {
    await pause(block, warmUp + blocks);
    for (const { name, run, prepare } of startingAt(subjects, block)) {
      prepare?.();
      const start = process.hrtime.bigint();
      await run();
      const spent = Number(process.hrtime.bigint() - start);
      if (block >= warmUp) samples.get(name)?.push(spent);
    }
  }
  return Object.fromEntries(samples) as Record<TName, number[]>;
}

/**
 * Measures a loop with and without Phasekit, in turn: nanoseconds of processor time per loop, on which other programs
 * of the machine have little effect.
 */
export async function measureWatched(
  loop: (watch: boolean) => Promise<unknown>,
  { blocks, count, warmUp = 3, prepare, pause }: Blocks & { readonly count: number; readonly prepare?: () => void },
): Promise<{ readonly bare: Samples; readonly watched: Samples }> {
  const samples = { bare: [] as number[], watched: [] as number[] };
  const order = ["bare", "watched"] as const;
  for (let block = 0; block < warmUp + blocks; block += 1) {
    await pause(block, warmUp + blocks);
    prepare?.();
    for (const name of startingAt(order, block + 1)) {
      const start = process.cpuUsage();
      for (let n = 0; n < count; n += 1) await loop(name === "watched");
      const { user, system } = process.cpuUsage(start);
      if (block >= warmUp) samples[name].push(((user + system) * 1000) / count);
    }
  }
  return samples;
}

/** The items in their order, beginning with another one for every block. */
function startingAt<T>(items: readonly T[], block: number): readonly T[] {
  const first = block % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** The middle value. */
export function median(values: Samples): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** How many times as long as the baseline it takes: the median of the ratios of the blocks. */
export function ratio(measured: Samples, baseline: Samples): number {
  return median(measured.map((value, block) => value / (baseline[block] ?? NaN)));
}

/** The additional time of one subject over another, block by block. */
export function difference(measured: Samples, less: Samples): Samples {
  return measured.map((value, block) => value - (less[block] ?? NaN));
}

/** Collects garbage; the bench is started with --expose-gc. */
function gc(type: "major" | "minor"): void {
  const { gc: collect } = globalThis as { readonly gc?: (options: object) => void };
  if (collect === undefined) throw new Error("Start Node with --expose-gc, as `pnpm bench` does.");
  collect({ type });
}

/** The heap in use after a full collection. */
export function heapAfterCollection(): number {
  for (let round = 0; round < 3; round += 1) gc("major");
  return process.memoryUsage().heapUsed;
}
