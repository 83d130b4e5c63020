/**
 * The three lists of tests. `*.full.test.ts` files run in `full` only; `*.deep.test.ts` files run in all lists, each time
 * with more cases. All other files run in `quick`.
 */
export type TestList = "quick" | "full" | "long";

/** The environment variable that names the list; tooling/test.ts sets it. */
export const TEST_LIST = "PHASEKIT_TESTS";

/** The list that runs now. @default "quick" */
export const testList: TestList = nameOf(process.env[TEST_LIST]);

/** How many cases a deep test plays. */
export function depth(cases: Readonly<Record<TestList, number>>): number {
  return cases[testList];
}

function nameOf(value: string | undefined): TestList {
  return value === "full" || value === "long" ? value : "quick";
}
