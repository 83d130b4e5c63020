import { isPhasekitError } from "@phasekit/core";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { filesBelow, findLogs, type FoundLog } from "../logs/find-logs.ts";
import { logPlaces } from "../logs/log-places.ts";
import { statOf } from "../logs/stat-of.ts";
import type { Progress } from "../progress.ts";
import { scanLines } from "./scan-lines.ts";
import type { UsageEntry } from "./usage-entry.ts";
import { type AnswersById, claudeUsage, codexUsageLines } from "./usage-lines.ts";

/** Options for `readUsage()`. */
export interface ReadUsageOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files written before this time have nothing newer. */
  readonly since?: number | undefined;
  readonly signal: AbortSignal;
  /** Counts bytes. */
  readonly progress: (total: number) => Progress;
  readonly take: (entry: UsageEntry) => void;
}

/** Bytes between two looks at the signal. */
const TURN = 8 * 1024 * 1024;

/**
 * Reads the usage of all agents on this machine, without judging their runs: of Claude Code and Codex only the lines
 * with usage, of other tools every record. Returns the number of logs.
 */
export async function readUsage({
  env,
  since = 0,
  signal,
  progress: createProgress,
  take,
}: ReadUsageOptions): Promise<number> {
  const logs = await allUsageLogs(env);
  const wanted = logs.filter(({ updatedAt }) => updatedAt >= since);
  const progress = createProgress(wanted.reduce((sum, { bytes }) => sum + bytes, 0));
  const answers: AnswersById = new Map();
  let done = 0;
  let looked = 0;
  try {
    for (const log of wanted) {
      if (done - looked >= TURN) {
        looked = done;
        await setImmediate();
        if (signal.aborted) break;
      }
      await readOne(log, { answers, take }).catch((error: unknown) => {
        // A log that cannot be read has no usage; `runs` says what is wrong with it.
        if (!isPhasekitError(error) && !(error instanceof Error && "code" in error)) throw error;
      });
      done += log.bytes;
      progress.step(done);
    }
  } finally {
    progress.end();
  }
  for (const entry of answers.values()) take(entry);
  return wanted.length;
}

/** Every log of Claude Code, those of sub-agents too: their answers are in no other file. */
async function allUsageLogs(env: ReadUsageOptions["env"]): Promise<readonly FoundLog[]> {
  const found = await Promise.all(
    logPlaces(env).map(async (place) => {
      if (place.tool !== "claude-code") return findLogs(place);
      return place.folders.flatMap((folder) =>
        filesBelow(folder).flatMap((path): readonly FoundLog[] => {
          const file = `${folder}/${path}`;
          const stats = path.endsWith(".jsonl") ? statOf(file) : undefined;
          return stats === undefined
            ? []
            : [{ tool: place.tool, title: place.title, path: file, name: file, ...stats }];
        }),
      );
    }),
  );
  return found.flat();
}

async function readOne(
  log: FoundLog,
  { answers, take }: { readonly answers: AnswersById; readonly take: ReadUsageOptions["take"] },
): Promise<void> {
  const about = { tool: log.title, session: sessionOf(log.path) };
  if (log.tool === "claude-code") scanLines(log.path, claudeUsage(answers, about));
  else if (log.tool === "codex" && log.path.endsWith(".jsonl")) scanLines(log.path, codexUsageLines(answers, about));
  else await readRecords(log, take);
}

/** The answers of a sub-agent of Claude Code belong to the session whose folder it is in. */
const sessionOf = (path: string): string =>
  /([^/]+)\/subagents\/[^/]+$/.exec(path)?.[1] ?? basename(path).replace(/\.jsonl$/, "");

/** Any other tool: through its format. Its module is imported only if there is such a log. */
async function readRecords(log: FoundLog, take: ReadUsageOptions["take"]): Promise<void> {
  const { openLog } = await import("../logs/read-log.ts");
  const folders = new Map<string, string>();
  for await (const items of openLog(log).items)
    for (const item of items) {
      if (item.type === "run" && item.run.folder !== undefined) folders.set(item.run.id, item.run.folder);
      if (item.type !== "event" || item.event.type !== "model.answered" || item.event.usage === undefined) continue;
      const folder = folders.get(item.run) ?? log.folder;
      const { model = "", usage, at = log.updatedAt } = item.event;
      take({ tool: log.title, session: item.run, model, at, usage, ...(folder !== undefined && { folder }) });
    }
}
