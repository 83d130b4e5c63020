import { treeOf, type TreeRow } from "@phasekit/ledger/story";
import type { LogSummary } from "../log-index/log-index.ts";
import type { FoundLog } from "./find-logs.ts";
import { openStore, toFoundLog } from "./own-runs.ts";
import type { RunReading } from "./play-items.ts";

/** A run that another one started, and how far below. */
export interface SubRun {
  readonly reading: RunReading;
  /** 1 for a run that the run itself started. */
  readonly depth: number;
}

const MAX_DEPTH = 8;
/** More of them are a list for `phasekit runs`. */
const MAX_RUNS = 64;

/**
 * Returns the runs below a run, each after the one that started it: those of the same log, or in a store the runs that
 * name it as their parent.
 */
export async function subRunsOf(
  { about }: RunReading,
  {
    log,
    runs,
    summarize,
  }: {
    readonly log: FoundLog;
    readonly runs: readonly RunReading[];
    readonly summarize: (log: FoundLog) => Promise<Pick<LogSummary, "runs">>;
  },
): Promise<readonly SubRun[]> {
  const childrenOf = log.run === undefined || log.store !== undefined ? inLog : inStore;
  const found: SubRun[] = [];

  function inLog(id: string): Promise<readonly RunReading[]> {
    return Promise.resolve(runs.filter((run) => run.about.parent?.run === id));
  }

  async function inStore(id: string): Promise<readonly RunReading[]> {
    const children = await (await openStore(log.path)).list({ parent: id, limit: MAX_RUNS });
    const read = children.toReversed().map((child) => summarize(toFoundLog(log.path, child)));
    return (await Promise.all(read)).flatMap((summary) => summary.runs);
  }

  async function add(id: string, depth: number): Promise<void> {
    for (const reading of await childrenOf(id)) {
      if (found.length >= MAX_RUNS) return;
      found.push({ reading, depth });
      if (depth < MAX_DEPTH) await add(reading.about.id, depth + 1);
    }
  }

  await add(about.id, 1);
  return found;
}

/** Orders rows so that each run is below the one that started it; other rows keep their order. */
export function asTree<TRow extends { readonly log: FoundLog; readonly reading: Pick<RunReading, "about"> }>(
  rows: readonly TRow[],
): readonly TreeRow<TRow>[] {
  const keyOf = ({ path }: FoundLog, run: string): string => `${path}\n${run}`;
  return treeOf(rows, {
    keyOf: ({ log, reading }) => keyOf(log, reading.about.id),
    parentOf: ({ log, reading: { about } }) => about.parent && keyOf(log, about.parent.run),
  });
}
