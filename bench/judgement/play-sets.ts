import type { Progress } from "@phasekit/tooling/progress";
import { Worker } from "node:worker_threads";
import type { RunRow } from "./run-row.ts";
import { countHits, splitByOutcome } from "./tables/figures.ts";
import type { WorkerJob, WorkerRows } from "./worker.ts";

/** The rows of one set. */
interface PlayedSet {
  readonly rows: RunRow[];
  /** Runs the set holds. */
  count: number;
  /** Runs of it that are played; unknown until a worker has read the set. */
  chosen: number | undefined;
  isPrinted: boolean;
}

/** The sets that workers have played so far. */
export interface PlayedSets {
  /** Names of the sets whose runs are all played. */
  readonly complete: () => readonly string[];
  /** Rows of the complete sets, in the order of their names and runs. */
  readonly rows: () => readonly RunRow[];
}

/** Collects the rows of workers and prints a set when all of its runs are played. */
export function createPlayedSets(
  sets: readonly string[],
  progress: Progress,
): PlayedSets & { readonly add: (rows: WorkerRows) => void } {
  const bySet = new Map<string, PlayedSet>(
    sets.map((set) => [set, { rows: [], count: 0, chosen: undefined, isPrinted: false }]),
  );
  let shown = "";
  const showNext = (): void => {
    for (const [set, { rows, chosen, isPrinted }] of bySet) {
      if (isPrinted) continue;
      if (set !== shown) progress.now(set);
      shown = set;
      if (chosen !== undefined) progress.at(rows.length, chosen);
      return;
    }
  };
  showNext();
  const complete = (): readonly string[] => [...bySet].filter(([, { isPrinted }]) => isPrinted).map(([set]) => set);
  return {
    add: ({ set, count, chosen, rows }) => {
      const played = bySet.get(set);
      if (played === undefined) return;
      played.rows.push(...rows);
      played.count = count;
      played.chosen = chosen;
      if (played.rows.length === chosen && !played.isPrinted) {
        played.isPrinted = true;
        progress.print(renderSet(set, played));
        progress.count();
      }
      showNext();
    },
    complete,
    rows: () =>
      complete()
        .toSorted()
        .flatMap((set) => (bySet.get(set)?.rows ?? []).toSorted((x, y) => x.index - y.index)),
  };
}

/** Plays the runs of a job with several workers. Ctrl-C ends them. */
export async function playSets(
  job: Omit<WorkerJob, "part">,
  { progress, signal }: { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<PlayedSets> {
  const played = createPlayedSets(job.sets, progress);
  const play = (part: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const workerData: WorkerJob = { ...job, part };
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData });
      const terminate = (): void => void worker.terminate();
      signal.addEventListener("abort", terminate);
      worker.on("message", played.add);
      worker.on("error", reject);
      worker.on("exit", () => {
        signal.removeEventListener("abort", terminate);
        resolve();
      });
    });
  await Promise.all(Array.from({ length: job.parts }, (_, part) => play(part)));
  return played;
}

function renderSet(set: string, { rows, count }: PlayedSet): string {
  const { good, bad } = splitByOutcome(rows.filter(({ threw }) => threw === undefined));
  const runs = `${String(rows.length)}${rows.length < count ? ` of ${String(count)}` : ""} runs`;
  const alerts = [
    ...(good.length > 0 ? [`${String(countHits(good, "strong"))} of ${String(good.length)} successes`] : []),
    ...(bad.length > 0 ? [`${String(countHits(bad, "strong"))} of ${String(bad.length)} failures`] : []),
  ];
  return `${set}: ${runs}${alerts.length === 0 ? "" : `, strong alert in ${alerts.join(" and ")}`}`;
}
