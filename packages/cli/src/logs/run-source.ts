import type { FoundLog } from "./find-logs.ts";
import type { RunReading } from "./play-items.ts";
import { repositoryOf } from "./repository-of.ts";

/** Returns the project of a run: the repository its agent worked in, else the place its log was found in. */
export function projectOf(
  { folder: own }: Pick<RunReading["about"], "folder">,
  { folder, project }: Pick<FoundLog, "project" | "folder">,
): string | undefined {
  const place = own ?? folder;
  if (place === undefined) return project;
  return (
    repositoryOf(place)
      .split(/[\\/]/)
      .findLast((part) => part !== "") ?? project
  );
}

/** Returns the tool and project of a run in a few words. */
export function runSource(title: string, about: RunReading["about"], log: FoundLog): string {
  return [title, projectOf(about, log)].filter((part) => part !== undefined && part !== "").join(" · ");
}
