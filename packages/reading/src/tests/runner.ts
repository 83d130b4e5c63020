import { kindsByWord } from "../word-table.ts";

/** The output of one runner, as patterns. Patterns that are counted or listed are global, the others only asked. */
export interface Runner {
  readonly name: string;
  /** Texts of which its output has at least one; without any of them it is not even read. */
  readonly marks: readonly string[];
  /**
   * The numbers: `3 passed, 1 failed` or `Passed: 3, Failed: 1`, in any group. Of several patterns the first that
   * occurs is added up.
   */
  readonly numbers?: readonly RegExp[];
  /** One match for each test, for runners that name no numbers. */
  readonly passes?: RegExp;
  readonly fails?: RegExp;
  readonly skips?: RegExp;
  /** Where it tells of no single test: packages, sessions or the whole run that passed. */
  readonly wholes?: RegExp;
  /** How many tests it announced; fewer is a run that broke off. */
  readonly planned?: RegExp;
  /** Names of failing tests. */
  readonly names?: RegExp;
  /** It failed, whatever the numbers say. */
  readonly red?: RegExp;
  /** The numbers are not there, as in an output that was cut, but this shows a failure … */
  readonly redSoFar?: RegExp;
  /** … or that all was well up to here, which is not enough for a pass. */
  readonly greenSoFar?: RegExp;
  /** Without this a run is not over, and not a pass. */
  readonly ends?: RegExp;
  /** It says that there was nothing to run. */
  readonly none?: RegExp;
  /** It only starts other runners: their numbers come first, its failure counts all the same. */
  readonly wraps?: true;
}

/** The contents of a runner's output. Members it does not show are absent. */
export interface TestCounts {
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  readonly failing?: readonly string[];
  /** It says that everything passed, and not how many that were. */
  readonly all?: true;
  /** It ran no test. */
  readonly none?: true;
  /** It failed for a reason other than a single test: a file that does not compile, a run that broke off. */
  readonly broken?: true;
  /** All it shows so far is all right. Not enough for a pass. */
  readonly partial?: true;
}

/** True if a text may be the output of a runner. */
export function hasMark({ marks }: Runner, text: string): boolean {
  return marks.some((mark) => text.includes(mark));
}

/** Reads the output of one runner, of which it has a mark; `undefined` when this is not its output all the same. */
export function readRunner(runner: Runner, text: string): TestCounts | undefined {
  const counts = numbersOf(runner, text) ?? linesOf(runner, text);
  const red = runner.red?.test(text) === true;
  if (counts === undefined) {
    if (red || runner.redSoFar?.test(text) === true) return { broken: true, ...namesOf(runner, text) };
    return runner.none?.test(text) === true
      ? { none: true }
      : runner.greenSoFar?.test(text) === true
        ? { partial: true }
        : undefined;
  }
  const { passed, failed, skipped, ran } = counts;
  const found = { ...(passed !== undefined && { passed }), failed, skipped };
  if (red || failed > 0 || counts.short)
    return { ...found, ...((red || counts.short) && { broken: true }), ...namesOf(runner, text) };
  if ((passed ?? 0) === 0 && !ran) return { ...found, none: true };
  return runner.ends?.test(text) === false ? { ...found, partial: true } : found;
}

interface Counts {
  /** `undefined` when nothing tells: a summary whose beginning is cut off. */
  readonly passed: number | undefined;
  readonly failed: number;
  readonly skipped: number;
  /** Something ran that neither passed nor failed. */
  readonly ran: boolean;
  /** Fewer tests ran than were announced. */
  readonly short: boolean;
}

type Kind = "passed" | "failed" | "skipped" | "total" | "ran";

const KINDS: ReadonlyMap<string, Kind> = kindsByWord<Kind>(
  {
    passed: "passed,pass,passing,passes,success,successes,succeeded,successful,ok,passedtests,+",
    failed:
      "failed,fail,failing,fails,failure,failures,error,errors,exceptions,cancelled,canceled,interrupted," +
      "did,timed,exec,uncaught,unhandled,xpass,timeout,unexpected pass," +
      "unexpected successes,failing tests,failedtests,-",
    skipped: "skipped,skip,skips,pending,todo,ignored,incomplete,disabled,was,pendingtests,~",
    total:
      "total,tests,test,total tests,tests run,examples,example,runs,run,specs,spec,completed,doctest," +
      "doctests,properties,property,features,feature,of",
    ran: "xfailed,xpassed",
  },
  ",",
);

// `2 tests failed`, `1 skipped`; and, where a word comes first, `Failures: 1`, `errors=2`, `# pass 3`, `+3 -1`.
const NUMBER_FIRST = /(\d+)\s+(?:(?:tests?|specs?|scenarios?) )?([a-z]+)/gi;
const WORD_FIRST = /([a-z][a-z ]*?)[\s:="\]]+(\d+)/gi;
const SIGN_FIRST = /([+~-])(\d+)/g;

/** The numbers of a summary, added up by what they count. */
function numbersOf({ numbers = [], passes, wholes }: Runner, text: string): Counts | undefined {
  const summaries = firstMatching(numbers, text);
  if (summaries.length === 0) return undefined;
  const sums: Record<Kind, number | undefined> = {
    passed: undefined,
    failed: undefined,
    skipped: undefined,
    total: undefined,
    ran: undefined,
  };
  for (const summary of summaries) {
    const numberFirst = /^\d/.test(summary);
    for (const [, one = "", two = ""] of summary.matchAll(
      numberFirst ? NUMBER_FIRST : summary.startsWith("+") ? SIGN_FIRST : WORD_FIRST,
    )) {
      const kind = KINDS.get((numberFirst ? two : one).toLowerCase());
      if (kind !== undefined) sums[kind] = (sums[kind] ?? 0) + Number(numberFirst ? one : two);
    }
  }
  const { failed = 0, skipped = 0, total, ran = 0 } = sums;
  const passed =
    sums.passed ??
    (total === undefined ? (countOf(text, passes) ?? countOf(text, wholes)) : Math.max(0, total - failed - skipped));
  return { passed, failed, skipped, ran: ran > 0, short: false };
}

function firstMatching(patterns: readonly RegExp[], text: string): readonly string[] {
  for (const pattern of patterns) {
    const found = [...text.matchAll(pattern)]
      .flatMap((match) => match.slice(1).filter((group: string | undefined) => group !== undefined))
      .map((group) => group.trim());
    if (found.length > 0) return found;
  }
  return [];
}

/** Counts from lines that each show one test, or many. */
function linesOf({ passes, fails, skips, wholes, planned, ends }: Runner, text: string): Counts | undefined {
  const passed = countOf(text, passes) ?? countOf(text, wholes);
  const failed = countOf(text, fails) ?? 0;
  if (failed === 0 && (passed === undefined || ends?.test(text) === false)) return undefined;
  const skipped = countOf(text, skips) ?? 0;
  return {
    passed,
    failed,
    skipped,
    ran: false,
    short: Number(planned?.exec(text)?.[1] ?? 0) > (passed ?? 0) + failed + skipped,
  };
}

function countOf(text: string, pattern: RegExp | undefined): number | undefined {
  const count = pattern === undefined ? 0 : (text.match(pattern)?.length ?? 0);
  return count === 0 ? undefined : count;
}

const MAX_FAILING = 20;
const MAX_NAME = 200;

function namesOf({ names: pattern }: Runner, text: string): { readonly failing?: readonly string[] } {
  if (pattern === undefined) return {};
  const names = new Set<string>();
  for (const match of text.matchAll(pattern)) {
    const name =
      match
        .slice(1)
        .find((group: string | undefined) => group !== undefined)
        ?.trim() ?? "";
    if (name !== "") names.add(name.slice(0, MAX_NAME));
    if (names.size >= MAX_FAILING) break;
  }
  return names.size === 0 ? {} : { failing: [...names] };
}
