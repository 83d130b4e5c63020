const WINDOW = 3;

/** How many files were read for the first time, by iteration; at most the last three. */
export type NewFiles = { readonly iteration: number; count: number }[];

/** Counts a file that was read for the first time. */
export function countNewFile(newFiles: NewFiles, iteration: number): void {
  const last = newFiles.at(-1);
  if (last?.iteration === iteration) last.count += 1;
  else newFiles.push({ iteration, count: 1 });
  if (newFiles.length > WINDOW) newFiles.shift();
}

/** Files first read in the last three iterations. */
export function recentNewFiles({ newFiles }: { readonly newFiles: Readonly<NewFiles> }, iteration: number): number {
  let sum = 0;
  for (const { iteration: then, count } of newFiles) if (then > iteration - WINDOW) sum += count;
  return sum;
}
