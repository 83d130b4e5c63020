// Apart from the story, whose words would come along into every bundle of a run.
export {
  type Checkpoint,
  type CheckpointCheck,
  checkpointFrom,
  checkpointOf,
  type CheckpointState,
  createCheckpoint,
  foldCheckpoint,
  type OpenFailure,
} from "./story/checkpoint.ts";
export { checkpointReminder } from "./story/checkpoint-reminder.ts";
export { checkpointText } from "./story/checkpoint-text.ts";
