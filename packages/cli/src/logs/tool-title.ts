import { formats } from "@phasekit/transcripts";
import type { FoundLog } from "./find-logs.ts";
import { liveTitle } from "./own-runs.ts";

/** The name of a tool for people: of the format that was found in the log, else of the place it was found in. */
export function titleOf(format: string, { title, run }: FoundLog): string {
  return (
    formats.find(({ name }) => name === format)?.title ??
    (format === "phasekit" ? (liveTitle(run) ?? "Phasekit") : title)
  );
}
