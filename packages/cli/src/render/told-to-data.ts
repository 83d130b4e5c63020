import type { ToldRun } from "../logs/play-items.ts";
import { verificationOf } from "./verification.ts";

/** A told run for `--json`: the story, and what the log says of its end. Message text is not part of it. */
export function toldToData({ about, ending, story }: ToldRun): object {
  const { task, ...known } = about;
  const { summary: _summary, ...end } = ending;
  return { about: { ...known, ...(task?.id !== undefined && { task: { id: task.id } }) }, ending: end, verification: verificationOf(story), story };
}
