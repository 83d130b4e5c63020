/** Something to measure: `run` does as many operations as a block has. */
export interface Subject<TName extends string = string> {
  readonly name: TName;
  readonly run: () => void;
  /** Done before each block, and not timed. */
  readonly prepare?: () => void;
}

/** Nanoseconds per operation, one value per block. Blocks with the same index ran next to each other. */
export type Samples = readonly number[];

/**
 * Measures subjects in turn, block by block, so that whatever slows the machine down slows all of them. Every block
 * begins with another subject and after a small collection, so that none pays for the garbage of the one before it.
 */
export function measureInterleaved<const TName extends string>(
  subjects: readonly Subject<TName>[],
  { blocks, count, warmUp = 5 }: { readonly blocks: number; readonly count: number; readonly warmUp?: number },
): Readonly<Record<TName, Samples>> {
  const samples = new Map<TName, number[]>(subjects.map(({ name }) => [name, []]));
  for (let block = 0; block < warmUp + blocks; block += 1) {
    const first = block % subjects.length;
    for (const { name, run, prepare } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
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

/** The middle value. */
export function median(values: Samples): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** How many times as long as the other one it takes: the middle of the blocks' own ratios. */
export function ratio(measured: Samples, baseline: Samples): number {
  return median(measured.map((value, block) => value / (baseline[block] ?? NaN)));
}

/** What one takes more than the other, block by block. */
export function difference(measured: Samples, less: Samples): Samples {
  return measured.map((value, block) => value - (less[block] ?? NaN));
}

/** Collects garbage; the bench is started with --expose-gc. */
function gc(type: "major" | "minor"): void {
  const { gc: collect } = globalThis as { readonly gc?: (options: object) => void };
  if (collect === undefined) throw new Error("Start node with --expose-gc: pnpm bench does.");
  collect({ type });
}

/** The heap in use after everything that can be collected was. */
export function heapAfterCollection(): number {
  for (let round = 0; round < 3; round += 1) gc("major");
  return process.memoryUsage().heapUsed;
}
