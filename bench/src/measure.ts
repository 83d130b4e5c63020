/** Something to measure: `run` does the operations `first` to `first + count - 1`. */
export interface Subject<TName extends string = string> {
  readonly name: TName;
  readonly run: (first: number, count: number) => void;
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
  for (let block = -warmUp; block < blocks; block += 1) {
    for (const turn of subjects.keys()) {
      const { name, run, prepare } = subjects[(turn + block + warmUp) % subjects.length]!;
      prepare?.();
      gc("minor");
      const start = process.hrtime.bigint();
      run((block + warmUp) * count, count);
      const spent = Number(process.hrtime.bigint() - start);
      if (block >= 0) samples.get(name)?.push(spent / count);
    }
  }
  return Object.fromEntries(samples) as Record<TName, number[]>;
}

/** The middle value. */
export function median(values: Samples): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** How many times as long as the other one it takes: the middle of the blocks' own ratios. */
export function ratio(measured: Samples, baseline: Samples): number {
  return median(measured.map((value, block) => value / baseline[block]!));
}

/** What one takes more than the other, block by block. */
export function difference(measured: Samples, less: Samples): Samples {
  return measured.map((value, block) => value - less[block]!);
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
