import { verificationOf, words } from "@phasekit/ledger/story";
import type { RunReading } from "../logs/play-items.ts";

/** Converts a run to the data of `--json`: its story, its end in words and as logged, without message text. */
export function runToData({ about, ending, story }: RunReading, end = words.endingOf(story, ending)): object {
  const { task, ...known } = about;
  const { summary: _summary, ...logged } = ending;
  // The title is the beginning of a message.
  const { title: _title, ...rest } = story;
  return {
    about: { ...known, ...(task?.id !== undefined && { task: { id: task.id } }) },
    ending: logged,
    end,
    verification: verificationOf(story),
    story: rest,
  };
}
