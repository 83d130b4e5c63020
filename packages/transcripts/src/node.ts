export {
  loadTranscript,
  openTranscript,
  type OpenTranscript,
  type OpenTranscriptOptions,
} from "./node/open-transcript.ts";
export {
  canReadOpencodeStore,
  listOpencodeSessions,
  type OpencodeSession,
  readOpencodeSession,
} from "./node/opencode-store.ts";
