export { formats } from "./formats.ts";
export type { RunWriter } from "./write/run-writer.ts";
export type { RecordedRun, Transcript, TranscriptEnding, TranscriptItem, TranscriptRun } from "./transcript.ts";
export type { TranscriptFormat, TranscriptRecord, TranslationContext, Translator } from "./transcript-format.ts";
export { renderTranscriptReport, type TranscriptReport } from "./transcript-report.ts";
export {
  createTranslation,
  parseTranscript,
  type TranscriptTranslation,
  type TranslationOptions,
} from "./translation.ts";
export { todosOf } from "./write/todos.ts";
