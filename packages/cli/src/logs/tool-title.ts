import { formats } from "@phasekit/transcripts";
import type { FoundLog } from "./find-logs.ts";

/** The name of a tool for people: of the format that was found in the log, else of the place it was found in. */
export function titleOf(format: string, { title }: FoundLog): string {
  return formats.find(({ name }) => name === format)?.title ?? (format === "phasekit" ? "Phasekit" : title);
}
