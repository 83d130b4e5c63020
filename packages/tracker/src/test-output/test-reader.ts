/** What a runner's output says. Members it does not show are absent. */
export interface TestCounts {
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** The runner says that it ran no test. */
  readonly none?: boolean;
  /** It failed for a reason that is no single test: a file that does not compile, a run that broke off. */
  readonly broken?: boolean;
  /** Cut off before a summary: what it shows so far is all right. Not enough for a pass. */
  readonly partial?: boolean;
}

/** Reads the output of one runner; `undefined` when this is not its output. */
export interface TestReader {
  readonly runner: string;
  /** Texts of which its output has at least one; without any of them it is not even read. @default it may be any text */
  readonly marks?: readonly string[];
  readonly read: (text: string) => TestCounts | undefined;
}

/** Reads an output with one reader, if it can be that runner's at all. */
export function readWith({ marks, read }: TestReader, text: string): TestCounts | undefined {
  return marks?.some((mark) => text.includes(mark)) === false ? undefined : read(text);
}

const MAX_FAILING = 20;
const MAX_NAME = 200;

/** The first group of every match, as names of failing tests. */
export function namesOf(text: string, pattern: RegExp): { readonly failing?: readonly string[] } {
  const names = new Set<string>();
  for (const [, name] of text.matchAll(pattern)) {
    if (name !== undefined && name.trim() !== "") names.add(name.trim().slice(0, MAX_NAME));
    if (names.size >= MAX_FAILING) break;
  }
  return names.size === 0 ? {} : { failing: [...names] };
}

/** The number before one of these words in a summary such as `2 failed, 3 passed`; 0 when it is not there. */
export function countBefore(summary: string, words: string): number {
  let sum = 0;
  for (const [, number] of summary.matchAll(new RegExp(`(\\d+)\\s+(?:${words})\\b`, "g"))) sum += Number(number);
  return sum;
}

/** The number a pattern's first group matches. */
export function numberAt(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
