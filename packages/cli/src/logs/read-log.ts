import { isHostFact, isPhasekitError } from "@phasekit/core";
import { createTranslation, type TranscriptItem, type TranscriptReport } from "@phasekit/transcripts";
import { openTranscript, type OpenTranscript } from "@phasekit/transcripts/node";
import { basename } from "node:path";
import { cannotRead, unreadableLog } from "../errors.ts";
import type { RunStory } from "../story/run-story.ts";
import type { FoundLog } from "./find-logs.ts";
import { openStore } from "./own-runs.ts";
import { readOpencode } from "./opencode-session.ts";
import { createPlayer, type Player, type PlayOptions, type ToldRun } from "./play-items.ts";

/** What became of the records of a log; absent for our own, which have none that could be unknown. */
export interface LogReading {
  readonly format: string;
  readonly report?: TranscriptReport;
}

/**
 * Tells the runs of a log one after the other, in bounded memory. Logs of other tools are decided again with the
 * options; our own are told as they were decided.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function* tellLog<TStory = RunStory>(log: FoundLog, options: PlayOptions<TStory>): AsyncGenerator<ToldRun<TStory>, LogReading, undefined> {
  if (log.run !== undefined && options.decideAgain !== true) return yield* tellOwn(log, log.run, options);
  return yield* playLog(log, createPlayer(options));
}

/**
 * Plays a log through a player, our own logs too: all of it is decided again.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function* playLog<TStory>(log: FoundLog, player: Player<TStory>): AsyncGenerator<ToldRun<TStory>, LogReading, undefined> {
  const { items, report } = log.run === undefined ? openLog(log) : { items: ownItems(log, log.run), report: undefined };
  try {
    for await (const batch of items) {
      for (const item of batch) {
        const ended = player.take(item);
        if (ended !== undefined) yield ended;
      }
    }
  } catch (error) {
    throw readable(error, log.path);
  }
  return report === undefined ? { format: "phasekit" } : { format: report().format, report: report() };
}

/** All runs of a log and what became of its records. */
export async function readLog<TStory = RunStory>(log: FoundLog, options: PlayOptions<TStory>): Promise<LogReading & { readonly runs: readonly ToldRun<TStory>[] }> {
  const runs: ToldRun<TStory>[] = [];
  const telling = tellLog(log, options);
  for (;;) {
    const next = await telling.next();
    if (next.done === true) return { ...next.value, runs };
    runs.push(next.value);
  }
}

/** What a log tells, as it is read. */
function openLog({ tool, path }: FoundLog): OpenTranscript {
  if (tool !== "opencode") return openTranscript(path);
  const translation = createTranslation({ name: basename(path, ".json") });
  async function* items(): AsyncGenerator<readonly TranscriptItem[]> {
    for await (const text of readOpencode(path)) yield translation.push(text);
    yield translation.end();
  }
  return { items: items(), report: translation.report };
}

async function* tellOwn<TStory>(log: FoundLog, id: string, { onStep, story: createStory }: PlayOptions<TStory>): AsyncGenerator<ToldRun<TStory>, LogReading, undefined> {
  const story = createStory();
  let about: ToldRun["about"] = { id, format: "phasekit" };
  let ending: ToldRun["ending"] = {};
  for await (const events of (await storeOf(log)).read(id)) {
    for (const event of events) {
      if (event.type === "run.started") about = { ...about, startedAt: event.at, ...(event.task !== undefined && { task: event.task }), ...(event.parent !== undefined && { parent: event.parent }) };
      else if (event.type === "run.finished") ending = { reason: event.reason, at: event.at };
      story.add(event);
    }
    onStep?.(about, events);
  }
  yield { about, ending, story: story.get() };
  return { format: "phasekit" };
}

const storeOf = async ({ store, path }: FoundLog): Promise<NonNullable<FoundLog["store"]>> => store ?? (await openStore(path));

/** The host facts of one of our own runs, with the meaning that is stored in them. */
async function* ownItems(log: FoundLog, id: string): AsyncGenerator<readonly TranscriptItem[]> {
  for await (const events of (await storeOf(log)).read(id)) {
    yield events.flatMap((event): readonly TranscriptItem[] => {
      if (!isHostFact(event) || event.type === "clock.ticked" || event.type === "run.resumed") return [];
      if (event.type === "run.started") {
        const { at, task, parent } = event;
        return [{ type: "run", run: { id, format: "phasekit", startedAt: at, ...(task !== undefined && { task }), ...(parent !== undefined && { parent }) } }];
      }
      if (event.type === "run.finished") return [{ type: "end", run: id, ending: { reason: event.reason, at: event.at } }];
      return [{ type: "fact", run: id, fact: event }];
    });
  }
  // For a log without an end; after one, nobody listens any more.
  yield [{ type: "end", run: id, ending: { reason: "interrupted" } }];
}

/** What goes wrong while a foreign file is read is about the file. */
function readable(error: unknown, path: string): unknown {
  if (isPhasekitError(error)) return error.code === "UNKNOWN_FORMAT" ? unreadableLog(path, "its content has the shape of none of them") : error;
  if (error instanceof Error && "code" in error && typeof error.code === "string" && /^(?:E[A-Z]+|Z_|ERR_)/.test(error.code)) return cannotRead(path, error.message);
  return error;
}
