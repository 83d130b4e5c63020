import type { RunStory } from "@phasekit/ledger/story";
import { isHostEvent, isPhasekitError, type JsonObject, type Redactor } from "@phasekit/core";
import { clipText } from "@phasekit/core/adapter";
import { redactSecrets } from "@phasekit/ledger";
import {
  createTranslation,
  type TranscriptEnding,
  type TranscriptItem,
  type TranscriptReport,
} from "@phasekit/transcripts";
import { openTranscript, type OpenTranscript } from "@phasekit/transcripts/node";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { cannotRead, unreadableLog } from "../errors.ts";
import type { FoundLog } from "./find-logs.ts";
import { openStore } from "./own-runs.ts";
import { readOpencode } from "./opencode-session.ts";
import { readStore, subSessions } from "./store-logs.ts";
import { sumReports } from "./sum-reports.ts";
import { createPlayer, type Player, type PlayOptions, type RunReading } from "./play-items.ts";

/** The format of a log, and a report on its records; own logs have no report. */
export interface LogReading {
  readonly format: string;
  readonly report?: TranscriptReport;
}

/**
 * Reads the runs of a log one after the other, in bounded memory. Decides logs of other tools with the options; own
 * runs keep their recorded decisions.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function* readRuns<TStory = RunStory>(
  log: FoundLog,
  options: PlayOptions<TStory>,
): AsyncGenerator<RunReading<TStory>, LogReading, undefined> {
  const runs =
    log.run !== undefined && options.decideAgain !== true
      ? readOwnRun(log, log.run, options)
      : playLog(log, createPlayer(options), options.onRead);
  // The run redacts its events; redact the other texts of the log too.
  const redact = options.runOptions.redact ?? redactSecrets();
  for (;;) {
    const next = await runs.next();
    if (next.done === true) return next.value;
    const { about, ending } = next.value;
    const { id, parent } = about;
    yield {
      ...next.value,
      // Ids stay; the other texts are from the agent or the user.
      about: { ...redactedBy(redact, about), id, ...(parent !== undefined && { parent }) },
      ending: withShortStatus(redactedBy(redact, ending)),
    };
  }
}

/** Characters kept of a tool's own words for an ending. */
const STATUS_LENGTH = 200;

/** Clips the tool's own words for an ending. Only after redaction: a secret cut in two is not recognized. */
function withShortStatus(ending: TranscriptEnding): TranscriptEnding {
  return ending.status === undefined ? ending : { ...ending, status: clipText(ending.status, STATUS_LENGTH) };
}

/** Returns the value without secrets. */
function redactedBy<T extends object>(redact: Redactor, value: T): T {
  return redact(value as unknown as JsonObject) as unknown as T;
}

/**
 * Plays a log through a player, own logs too: decides everything again.
 * @throws UNREADABLE_LOG, CANNOT_READ
 */
export async function* playLog<TStory>(
  log: FoundLog,
  player: Player<TStory>,
  onRead?: (bytes: number) => void,
): AsyncGenerator<RunReading<TStory>, LogReading, undefined> {
  const { items, report } =
    log.run === undefined ? openLog(log, onRead) : { items: ownItems(log, log.run), report: undefined };
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

/** Reads all runs of a log and the report on its records. */
export async function readLog<TStory = RunStory>(
  log: FoundLog,
  options: PlayOptions<TStory>,
): Promise<LogReading & { readonly runs: readonly RunReading<TStory>[] }> {
  const runs: RunReading<TStory>[] = [];
  const readings = readRuns(log, options);
  for (;;) {
    const next = await readings.next();
    if (next.done === true) return { ...next.value, runs };
    runs.push(next.value);
  }
}

/** Opens a log of another tool as a stream of items. */
export function openLog({ tool, path, session }: FoundLog, onRead?: (bytes: number) => void): OpenTranscript {
  if (session !== undefined) return openSession(path, session);
  if (tool !== "opencode") return openTranscript(path, { ...(onRead !== undefined && { onRead }) });
  const translation = createTranslation({ name: basename(path, ".json") });
  async function* items(): AsyncGenerator<readonly TranscriptItem[]> {
    for await (const text of readOpencode(path)) yield translation.push(text);
    yield translation.end();
  }
  return { items: items(), report: translation.report };
}

/** Opens a session in a database, and its sub-agents: each is a document of its own. */
function openSession(path: string, session: string): OpenTranscript {
  const translations = [session, ...subSessions(path, session)].map((id) => ({
    id,
    translation: createTranslation({ name: id === "" ? basename(path, ".db") : id }),
  }));
  async function* items(): AsyncGenerator<readonly TranscriptItem[]> {
    for (const { id, translation } of translations) {
      for (const text of readStore(path, id)) {
        yield translation.push(text);
        // Between two messages others have their turn.
        await setImmediate();
      }
      yield translation.end();
    }
  }
  return { items: items(), report: () => sumReports(translations.map(({ translation }) => translation.report())) };
}

async function* readOwnRun<TStory>(
  log: FoundLog,
  id: string,
  { onStep, story: createStory }: PlayOptions<TStory>,
): AsyncGenerator<RunReading<TStory>, LogReading, undefined> {
  const story = createStory();
  let about: RunReading["about"] = { id, format: "phasekit" };
  let ending: RunReading["ending"] = {};
  for await (const events of (await storeOf(log)).read(id)) {
    for (const event of events) {
      if (event.type === "run.started")
        about = {
          ...about,
          startedAt: event.at,
          ...(event.task !== undefined && { task: event.task }),
          ...(event.parent !== undefined && { parent: event.parent }),
          ...(event.folder !== undefined && { folder: event.folder }),
        };
      else if (event.type === "run.finished") ending = { reason: event.reason, at: event.at };
      story.add(event);
    }
    onStep?.(about, events);
  }
  yield { about, ending, story: story.get() };
  return { format: "phasekit" };
}

const storeOf = async ({ store, path }: FoundLog): Promise<NonNullable<FoundLog["store"]>> =>
  store ?? (await openStore(path));

/** Returns the host events of an own run, with their stored meaning. */
async function* ownItems(log: FoundLog, id: string): AsyncGenerator<readonly TranscriptItem[]> {
  for await (const events of (await storeOf(log)).read(id)) {
    yield events.flatMap((event): readonly TranscriptItem[] => {
      if (!isHostEvent(event) || event.type === "clock.ticked" || event.type === "run.resumed") return [];
      if (event.type === "run.started") {
        const { at, task, parent } = event;
        return [
          {
            type: "run",
            run: {
              id,
              format: "phasekit",
              startedAt: at,
              ...(task !== undefined && { task }),
              ...(parent !== undefined && { parent }),
            },
          },
        ];
      }
      if (event.type === "run.finished")
        return [{ type: "end", run: id, ending: { reason: event.reason, at: event.at } }];
      return [{ type: "event", run: id, event }];
    });
  }
  // For a log without an end; ignored after one.
  yield [{ type: "end", run: id, ending: { reason: "interrupted", open: true } }];
}

/** Converts errors of reading a foreign file to errors about the file. */
function readable(error: unknown, path: string): unknown {
  if (isPhasekitError(error))
    return error.code === "UNKNOWN_FORMAT"
      ? unreadableLog(path, "its content matches none of the supported formats")
      : error;
  if (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^(?:E[A-Z]+|Z_|ERR_)/.test(error.code)
  )
    return cannotRead(path, error.message);
  return error;
}
