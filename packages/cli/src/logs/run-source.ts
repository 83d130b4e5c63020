import type { FoundLog } from "./find-logs.ts";
import type { RunReading } from "./play-items.ts";

/** Returns the project of a run: the folder its agent worked in, else the place its log was found in. */
export function projectOf({ folder }: RunReading["about"], { project }: Pick<FoundLog, "project">): string | undefined {
  return folder?.split(/[\\/]/).findLast((part) => part !== "") ?? project;
}

/** Returns the tool and project of a run in a few words. */
export function runSource(title: string, about: RunReading["about"], log: FoundLog): string {
  return [title, projectOf(about, log)].filter((part) => part !== undefined && part !== "").join(" · ");
}
