import { formats } from "@phasekit/transcripts";
import type { FoundLog } from "./find-logs.ts";
import { liveTitle } from "./own-runs.ts";

/**
 * The name of a tool for people: of the agent of a live session, of the
 * format that was found in the log, or of the place it was found in.
 */
export function titleOf(format: string, log: FoundLog): string {
  const live = format === "phasekit" ? liveTitle(log) : undefined;
  return live ?? formats.find(({ name }) => name === format)?.title ?? log.title;
}
