export { loadTranscript, openTranscript, type OpenTranscript, type OpenTranscriptOptions } from "./node/open-transcript.ts";
export type { ReadTextOptions } from "./node/read-text.ts";
