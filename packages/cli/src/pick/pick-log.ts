import { isPhasekitError } from "@phasekit/core";
import type { CommandContext } from "../command.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { LogIndex, LogSummary } from "../log-index/log-index.ts";
import { type FoundLog, timeOf } from "../logs/find-logs.ts";
import type { RunReading } from "../logs/play-items.ts";
import { projectOf } from "../logs/run-source.ts";
import { titleOfRun } from "../render/run-title.ts";
import { age, plural } from "../render/numbers.ts";
import { endOf } from "../render/why.ts";
import { shortId } from "../render/short-id.ts";
import { pickItem } from "./pick-item.ts";

/** A log in the list, and the run in it once it was read. */
interface Candidate {
  readonly log: FoundLog;
  reading?: RunReading;
  /** The title of the format that was found in the log. */
  title: string;
}

/** Logs that are read while the list is open, to show how their runs ended. */
const MAX_READ = 20;
const MAX_READ_BYTES = 20 * 1024 * 1024;

/** True if a person can pick: in a terminal, not in CI, not for an agent, not with `--json`. */
export function canPick({ terminal, json }: Pick<CommandContext, "terminal" | "json">): boolean {
  return terminal.screen !== undefined && !json;
}

/** Lets the person at the terminal pick a log; `undefined` if they cancel. */
export async function pickLog(
  logs: readonly FoundLog[],
  title: string,
  context: CommandContext,
): Promise<FoundLog | undefined> {
  const { terminal, now, signal } = context;
  if (terminal.screen === undefined) return undefined;
  const candidates: Candidate[] = logs.map((log) => ({ log, title: log.title }));
  const closing = new AbortController();
  const picked = await pickItem({
    title,
    items: candidates,
    text: (candidate) => candidateText(candidate, now()),
    screen: terminal.screen,
    out: terminal.out,
    colors: terminal.colors,
    signal,
    onOpen: (redraw) => void complete(candidates, { context, redraw, signal: closing.signal }),
  });
  closing.abort();
  return picked?.log;
}

/** Reads the first logs one after the other, and draws each result. */
async function complete(
  candidates: readonly Candidate[],
  {
    context,
    redraw,
    signal,
  }: { readonly context: CommandContext; readonly redraw: () => void; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const index = await context.index();
    const config = await context.config();
    for (const candidate of candidates.slice(0, MAX_READ)) {
      if (signal.aborted) return;
      if (candidate.log.bytes > MAX_READ_BYTES) continue;
      await completeOne(candidate, index, config);
      redraw();
    }
  } catch {
    // The list works without the ends; the command that reads the picked log says what is wrong.
  }
}

async function completeOne(candidate: Candidate, index: LogIndex, config: LoadedConfig): Promise<void> {
  try {
    const { runs, title } = index.get(candidate.log) ?? (await readAndKeep(candidate.log, index, config));
    const reading = runs.findLast(({ about }) => about.parent === undefined) ?? runs.at(-1);
    if (reading !== undefined) candidate.reading = reading;
    candidate.title = title;
  } catch (error) {
    if (!isPhasekitError(error)) throw error;
  }
}

async function readAndKeep(log: FoundLog, index: LogIndex, config: LoadedConfig): Promise<LogSummary> {
  // Imported here: `why` without a list, or with logs that did not change, reads nothing.
  const [{ configuredSet }, { summarizeLog }] = await Promise.all([
    import("../run-presets.ts"),
    import("../log-index/summarize-log.ts"),
  ]);
  const keep = index.prepare(log);
  const summary = await summarizeLog(log, { set: await configuredSet(config) });
  keep(summary);
  return summary;
}

function candidateText({ log, reading, title }: Candidate, now: number): string {
  const { about, story } = reading ?? {};
  const project = projectOf(about ?? {}, log);
  const id =
    about?.id ??
    log.run ??
    log.session ??
    log.path
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.\w+$/, "") ??
    "";
  return [
    age(Math.max(0, now - (story?.endedAt || timeOf(log)))),
    title,
    ...(project === undefined ? [] : [project]),
    shortId(id),
    ...(reading === undefined
      ? []
      : [endOf(reading, { log, now }).word, plural(reading.story.calls, "call"), titleOfRun(reading)]),
  ].join(" · ");
}
