import type { RunEvent, RunOptions } from "@phasekit/core";
import type { TranscriptRun } from "@phasekit/transcripts";
import { existsSync } from "node:fs";
import type { FoundLog } from "../logs/find-logs.ts";
import { followLines, isLines } from "../logs/follow-log.ts";
import { openStore } from "../logs/own-runs.ts";
import { readLog } from "../logs/read-log.ts";

/** Options for `followRuns()`. */
export interface FollowRunsOptions {
  readonly runOptions: RunOptions;
  readonly signal: AbortSignal;
  readonly onStep: (about: TranscriptRun, step: readonly RunEvent[]) => void;
  /** Called before a log is read again from its start: it was truncated, replaced or rewritten. */
  readonly onRestart: () => void;
  /** Called when everything that was written so far has been read. */
  readonly onIdle: () => void;
  /** Resolves when a log that cannot be read piece by piece has changed. */
  readonly changed: () => Promise<void>;
  /** @default 300 */
  readonly pollMs?: number;
}

/** Documents are read again as a whole after each change, so large ones are left out. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Follows the runs of a log until the signal, or until the log is deleted. Own runs and JSON lines are read where they
 * grow; other formats again after each change.
 */
export async function followRuns(log: FoundLog, options: FollowRunsOptions): Promise<void> {
  const { signal } = options;
  if (log.run !== undefined) return await followOwn(log.path, log.run, options);
  const isGrowing = log.session === undefined && log.tool !== "opencode" && (await isLines(log.path));
  while (!signal.aborted && existsSync(log.path)) {
    options.onRestart();
    if (isGrowing) {
      await followLines(log.path, {
        ...options,
        show: (step, about) => {
          // The end of what was read so far is not the end of the run.
          if (!signal.aborted) options.onStep(about, step);
        },
      });
    } else if (log.bytes > MAX_DOCUMENT_BYTES) return;
    else {
      await readDocument(log, options);
      options.onIdle();
      await options.changed();
    }
  }
}

/** Reads a document as it is now. It may still grow, so its end is not shown. */
async function readDocument(log: FoundLog, { runOptions, onStep }: FollowRunsOptions): Promise<void> {
  await readLog(log, {
    story: () => ({ add: () => undefined, get: () => undefined }),
    runOptions,
    onStep: (about, step) => {
      onStep(
        about,
        step.filter(({ type }) => type !== "run.finished"),
      );
    },
  });
}

async function followOwn(folder: string, run: string, { signal, onStep, onIdle }: FollowRunsOptions): Promise<void> {
  const store = await openStore(folder);
  let about: TranscriptRun = { id: run, format: "phasekit" };
  let after = 0;
  const take = (events: readonly RunEvent[]): void => {
    for (const event of events)
      if (event.type === "run.started")
        about = { ...about, startedAt: event.at, ...(event.parent !== undefined && { parent: event.parent }) };
    after = events.at(-1)?.seq ?? after;
    onStep(about, events);
  };
  for await (const events of store.read(run)) take(events);
  onIdle();
  const batches = store.tail(run, { after })[Symbol.asyncIterator]();
  const leave = (): void => void batches.return?.();
  if (signal.aborted) return leave();
  signal.addEventListener("abort", leave, { once: true });
  for (let next = await batches.next(); next.done !== true; next = await batches.next()) take(next.value);
  signal.removeEventListener("abort", leave);
}
