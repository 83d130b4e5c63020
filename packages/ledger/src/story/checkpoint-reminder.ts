import { definePolicy, nudge, type Policy } from "@phasekit/core";
import { type Account, workKey } from "@phasekit/core/account";
import { checkpointFrom, type CheckpointState, createCheckpoint, foldCheckpoint } from "./checkpoint.ts";
import { checkpointText } from "./checkpoint-text.ts";

interface ReminderState {
  readonly checkpoint: CheckpointState;
  /** The event after which the agent has lost its context, and got no checkpoint yet. */
  due: number | undefined;
}

const EVERY_EVENT = ["run.started", "phase.transition", "message.received", "todos.updated", "tool.finished"] as const;

/**
 * Gives the agent a checkpoint in the first turn after the host shortened the conversation (`context.compacted`), or
 * after the run was resumed in a new process: the task, the changed files, to-dos, the last checks, what failed. It has
 * the name of `compactionReminder()`, which it replaces in `codingRun()`.
 *
 * @example
 * const run = codingRun({ policies: [checkpointReminder()] });
 */
export function checkpointReminder(): Policy {
  return definePolicy({
    name: "compaction-reminder",
    initial: (): ReminderState => ({ checkpoint: createCheckpoint({ of: "run" }), due: undefined }),
    observe: {
      ...Object.fromEntries(
        EVERY_EVENT.map((type) => [
          type,
          ({ checkpoint }: ReminderState, event: Parameters<typeof foldCheckpoint>[1]): void =>
            foldCheckpoint(checkpoint, event),
        ]),
      ),
      "context.compacted": (state, { seq }) => {
        state.due = seq;
      },
      "run.resumed": (state, { seq }) => {
        state.due = seq;
      },
      "nudge.sent": (state, { episode }) => {
        if (episode === episodeOf(state.due)) state.due = undefined;
      },
    },
    decide: {
      "turn.started": (run, { checkpoint, due }) => {
        if (due === undefined) return undefined;
        // `phaseTracker` keeps the account of the run, and more than the key says.
        const account = run.read(workKey) as Account | undefined;
        const text = checkpointText(
          account === undefined ? checkpointFrom(checkpoint) : checkpointFrom(checkpoint, account),
        );
        return nudge(`${HEAD}\n${text}\n${FOOT}`, { episode: episodeOf(due), guidance: true, topic: "compaction" });
      },
    },
  });
}

const HEAD = "This is the state of the work:";
const FOOT = "Continue from here; do not plan again what is planned.";

const episodeOf = (due: number | undefined): string => `compaction:${String(due)}`;
