import { verificationOf } from "@phasekit/ledger/story";
import type { RunReading } from "../logs/play-items.ts";

/** Converts a run to the data of `--json`: its story and the end as logged, without message text. */
export function runToData({ about, ending, story }: RunReading): object {
  const { task, ...known } = about;
  const { summary: _summary, ...end } = ending;
  return {
    about: { ...known, ...(task?.id !== undefined && { task: { id: task.id } }) },
    ending: end,
    verification: verificationOf(story),
    story,
  };
}
