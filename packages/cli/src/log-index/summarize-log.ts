import { createStory } from "@phasekit/ledger/story";
import { isPhasekitError, type Mode } from "@phasekit/core";
import { readerFailed } from "../errors.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { PlayOptions } from "../logs/play-items.ts";
import { readLog } from "../logs/read-log.ts";
import { titleOf } from "../logs/tool-title.ts";
import type { PolicySet } from "../run-presets.ts";
import type { LogSummary } from "./log-index.ts";

/** Options for `summarizeLog()`. */
export interface SummarizeLogOptions extends Pick<PlayOptions, "onRead" | "onStep" | "decideAgain"> {
  readonly set: PolicySet;
  /** @default "observe" */
  readonly mode?: Mode;
}

/**
 * Reads a log and judges its runs.
 * @throws UNREADABLE_LOG, CANNOT_READ, READER_FAILED
 */
export async function summarizeLog(
  log: FoundLog,
  { set, mode = "observe", ...playing }: SummarizeLogOptions,
): Promise<LogSummary> {
  try {
    const reading = await readLog(log, { ...playing, story: createStory, runOptions: set.options(mode) });
    return { ...reading, title: titleOf(reading.format, log) };
  } catch (error) {
    throw isPhasekitError(error)
      ? error
      : readerFailed(log.path, error instanceof Error ? error.message : String(error));
  }
}
