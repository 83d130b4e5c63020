import { createStory } from "@phasekit/ledger/story";
import { isPhasekitError, type RunEvent, type RunOptions } from "@phasekit/core";
import type { TranscriptRun } from "@phasekit/transcripts";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FoundLog } from "../logs/find-logs.ts";
import type { RunReading } from "../logs/play-items.ts";
import { readLog } from "../logs/read-log.ts";
import { followRuns } from "./follow-runs.ts";
import { createWatchedRun, owedBy, type WatchedRun, type WatchedRunFold } from "./watched-run.ts";

/** A followed run, with the log it comes from. */
export interface MachineRun extends WatchedRun {
  readonly log: FoundLog;
  /** The name of the agent for people. */
  readonly agent: string;
  readonly project?: string;
  readonly state: RunState;
}

/** `waiting`: for the next prompt. `interrupted`: the log has no end, and is not written any more. */
export type RunState = "working" | "waiting" | "interrupted" | "ended";

/** Options for `createMachineWatch()`. */
export interface MachineWatchOptions {
  /** Returns the logs that were written lately, newest first. */
  readonly find: () => Promise<readonly FoundLog[]>;
  /** The titles of tools by name, for runs of hooks. */
  readonly tools: ReadonlyMap<string, string>;
  readonly runOptions: RunOptions;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onStep?: (run: MachineRun, step: readonly RunEvent[]) => void;
  /** @default 2000 */
  readonly scanMs?: number;
  /** The time without growth after which a log is read as a whole, as `why` does. @default 2000 */
  readonly settleMs?: number;
  /** @default 300 */
  readonly pollMs?: number;
}

/** Follows the runs of a machine. */
export interface MachineWatch {
  /** Resolves after the signal. */
  readonly ended: Promise<void>;
  /** Resolves when the logs were searched once and everything in them was read. */
  readonly caughtUp: () => Promise<void>;
  /** The runs: those that work first, then by start. One run per session. */
  readonly runs: () => readonly MachineRun[];
}

interface OpenLog {
  log: FoundLog;
  readonly runs: Map<string, WatchedRunFold>;
  readonly leaving: AbortController;
  wake: (() => void) | undefined;
  /** True if everything that was written so far has been read, or cannot be. */
  isRead: boolean;
  /** The runs as `why` reads them, for a log that has not grown since. */
  settled: { readonly updatedAt: number; readonly runs: readonly RunReading[]; readonly tookMs: number } | undefined;
}

const MAX_SETTLED_BYTES = 64 * 1024 * 1024;
const POLL_MS = 50;
const MAX_LOGS = 100;
const MAX_RUNS = 50;
/** A tool call may take minutes, during which a log does not grow. */
const DEAD_MS = 5 * 60_000;
/** The part of the time that may be spent on searching for logs, and on reading one as a whole. */
const SCAN_SHARE = 0.05;

/** Starts to follow all logs that were written lately. */
export function createMachineWatch(options: MachineWatchOptions): MachineWatch {
  return new FollowedLogs(options);
}

/** The logs that are followed. */
class FollowedLogs implements MachineWatch {
  readonly ended: Promise<void>;
  readonly #options: MachineWatchOptions & Required<Pick<MachineWatchOptions, "scanMs" | "settleMs" | "pollMs">>;
  readonly #logs = new Map<string, OpenLog>();
  #scans = 0;

  constructor(options: MachineWatchOptions) {
    this.#options = { scanMs: 2000, settleMs: 2000, pollMs: 300, ...options };
    this.ended = this.#work();
  }

  async caughtUp(): Promise<void> {
    for (;;) {
      if (this.#options.signal.aborted) return;
      if (this.#scans > 0 && [...this.#logs.values()].every(({ isRead }) => isRead)) return await this.#settle(0);
      await sleep(POLL_MS);
    }
  }

  runs(): readonly MachineRun[] {
    const runs = [...this.#logs.values()].flatMap((opened) => {
      // A log may hold earlier sessions: only the last one is live.
      const all = this.#runsIn(opened);
      const last = all.findLast(({ about }) => about.parent === undefined) ?? all.at(-1);
      return last === undefined ? [] : [last];
    });
    return oncePerSession(runs, this.#options.tools).sort(
      (a, b) => ORDER[a.state] - ORDER[b.state] || a.story.startedAt - b.story.startedAt,
    );
  }

  #open(log: FoundLog): OpenLog {
    const { runOptions, pollMs, signal, onStep } = this.#options;
    const opened: OpenLog = {
      log,
      runs: new Map(),
      leaving: new AbortController(),
      wake: undefined,
      isRead: false,
      settled: undefined,
    };
    const following = followRuns(log, {
      runOptions,
      pollMs,
      signal: AbortSignal.any([signal, opened.leaving.signal]),
      onRestart: () => {
        opened.runs.clear();
      },
      onIdle: () => {
        opened.isRead = true;
      },
      changed: () => new Promise((resolve) => (opened.wake = resolve)),
      onStep: (about, step) => {
        const fold = foldOf(opened, about);
        fold.add(step, about);
        onStep?.(this.#machineRun(opened, fold.get()), step);
      },
    });
    // A log that cannot be read is left out; `why` says what is wrong with it.
    void following
      .catch(() => undefined)
      .then(() => {
        opened.isRead = true;
      });
    return opened;
  }

  #runsIn(opened: OpenLog): readonly MachineRun[] {
    const { runs, settled } = opened;
    const followed = [...runs.values()].map((fold) => fold.get());
    // A short log without a line break at its end is only known once it is read as a whole.
    const all = followed.length > 0 ? followed : (settled?.runs ?? []).map(asWatched);
    return all.map((run) => this.#machineRun(opened, run));
  }

  #machineRun({ log, settled }: OpenLog, followed: WatchedRun): MachineRun {
    const { tools, now } = this.#options;
    const end = settled?.updatedAt === log.updatedAt ? settled.runs.find(isOf(followed)) : undefined;
    const run = end === undefined ? followed : withEnd(followed, end);
    const session = sessionOf(run.about.id, log, tools);
    const folder = run.about.folder ?? log.folder ?? (session === undefined ? dirname(dirname(log.path)) : undefined);
    const project = folder?.split(/[\\/]/).findLast((part) => part !== "") ?? log.project;
    return {
      ...run,
      log,
      agent: session?.title ?? log.title,
      ...(project !== undefined && { project }),
      state: stateOf(run, log, now()),
    };
  }

  async #scan(): Promise<void> {
    const { find, settleMs } = this.#options;
    // A search that fails, such as in a folder that is being moved, is repeated.
    const found = (await find().catch(() => undefined))?.slice(0, MAX_LOGS);
    if (found === undefined) return;
    const seen = new Set(found.map(keyOf));
    for (const [key, { leaving, wake }] of this.#logs)
      if (!seen.has(key)) {
        leaving.abort();
        wake?.();
        this.#logs.delete(key);
      }
    for (const log of found) {
      const known = this.#logs.get(keyOf(log));
      if (known === undefined) this.#logs.set(keyOf(log), this.#open(log));
      else {
        const hasChanged = known.log.updatedAt !== log.updatedAt || known.log.bytes !== log.bytes;
        known.log = log;
        if (hasChanged) known.wake?.();
      }
    }
    this.#scans += 1;
    await this.#settle(settleMs);
  }

  /**
   * The last turn of a log is open until something follows it. After a while without growth, reads the log as a whole:
   * the turn is shown, and whether the agent is done.
   */
  async #settle(quietMs: number): Promise<void> {
    const { signal, now, runOptions } = this.#options;
    for (const opened of this.#logs.values()) {
      const { log, settled } = opened;
      if (log.run !== undefined || log.bytes > MAX_SETTLED_BYTES || settled?.updatedAt === log.updatedAt) continue;
      if (signal.aborted || now() - log.updatedAt < Math.max(quietMs, (settled?.tookMs ?? 0) / SCAN_SHARE)) continue;
      const startedAt = performance.now();
      const { runs } = await readLog(log, { story: createStory, runOptions }).catch(() => ({ runs: [] }));
      opened.settled = { updatedAt: log.updatedAt, runs, tookMs: performance.now() - startedAt };
    }
  }

  async #work(): Promise<void> {
    const { signal, scanMs } = this.#options;
    while (!signal.aborted) {
      const startedAt = performance.now();
      await this.#scan();
      const took = performance.now() - startedAt;
      await sleep(Math.max(scanMs, took / SCAN_SHARE), undefined, { signal }).catch(() => undefined);
    }
    for (const { wake } of this.#logs.values()) wake?.();
  }
}

function foldOf({ runs }: OpenLog, about: TranscriptRun): WatchedRunFold {
  const known = runs.get(about.id);
  if (known !== undefined) return known;
  const fold = createWatchedRun(about);
  const [oldest] = runs.size >= MAX_RUNS ? runs.keys() : [];
  if (oldest !== undefined) runs.delete(oldest);
  runs.set(about.id, fold);
  return fold;
}

const ORDER: Readonly<Record<RunState, number>> = { working: 0, waiting: 1, interrupted: 2, ended: 2 };

const isOf =
  ({ about: { id } }: WatchedRun) =>
  ({ about }: RunReading): boolean =>
    about.id === id;

function asWatched({ about, story }: RunReading): WatchedRun {
  return { about, story, owed: owedBy(story), isWaiting: false };
}

/** A run with what a reading of the whole log adds. An alert is over when the run is. */
function withEnd({ alert, ...run }: WatchedRun, reading: RunReading): WatchedRun {
  const whole = asWatched(reading);
  const isOver = whole.story.reason !== undefined;
  return { ...run, ...whole, ...(alert !== undefined && !isOver && { alert }) };
}

const keyOf = ({ path, run = "", session = "" }: FoundLog): string => `${path}\n${run}\n${session}`;

function stateOf({ story, isWaiting }: WatchedRun, log: FoundLog, now: number): RunState {
  if (story.reason !== undefined) return story.reason === "interrupted" ? "interrupted" : "ended";
  if (log.isRunning === false) return "interrupted";
  if (isWaiting) return "waiting";
  return log.isRunning === undefined && now - Math.max(log.updatedAt, story.endedAt) > DEAD_MS
    ? "interrupted"
    : "working";
}

/** Hooks name a run after the agent and its session: `codex-<session>`, then `codex-<session>.2`. */
function sessionOf(
  id: string,
  { tool, run }: FoundLog,
  tools: ReadonlyMap<string, string>,
): { readonly key: string; readonly title: string } | undefined {
  if (run === undefined) return { key: `${tool} ${id}`, title: tools.get(tool) ?? tool };
  for (const [name, title] of tools)
    if (id.startsWith(`${name}-`)) return { key: `${name} ${id.slice(name.length + 1).replace(/\.\d+$/, "")}`, title };
  return undefined;
}

/** Hooks record a session that the agent logs too. The run of the hooks has the real decisions, the log the usage. */
function oncePerSession(runs: readonly MachineRun[], tools: ReadonlyMap<string, string>): MachineRun[] {
  const bySession = new Map<string, MachineRun>();
  for (const run of runs) {
    const key = sessionOf(run.about.id, run.log, tools)?.key ?? `${run.log.path} ${run.about.id}`;
    const other = bySession.get(key);
    bySession.set(key, other === undefined ? run : merged(other, run));
  }
  return [...bySession.values()];
}

function merged(a: MachineRun, b: MachineRun): MachineRun {
  const isOwn = ({ log }: MachineRun): boolean => log.run !== undefined;
  // Two runs of one session in one store: the later one is live.
  if (isOwn(a) === isOwn(b)) return a.story.startedAt > b.story.startedAt ? a : b;
  const [live, logged] = isOwn(a) ? [a, b] : [b, a];
  const { tokens = logged.story.tokens } = live.story;
  return {
    ...live,
    story: {
      ...live.story,
      ...(tokens !== undefined && { tokens }),
      ...(live.story.tokens === undefined && { usage: logged.story.usage, models: logged.story.models }),
    },
    ...(logged.project !== undefined && { project: logged.project }),
  };
}

/** Returns the logs, or none if there are none. */
export async function findOrNone(find: () => Promise<readonly FoundLog[]>): Promise<readonly FoundLog[]> {
  try {
    return await find();
  } catch (error) {
    if (isPhasekitError(error, "NO_LOGS") || isPhasekitError(error, "NO_MATCHING_LOGS")) return [];
    throw error;
  }
}
