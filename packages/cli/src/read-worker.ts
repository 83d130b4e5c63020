import { isPhasekitError } from "@phasekit/core";
import { parentPort, workerData } from "node:worker_threads";
import type { ReadAnswer, ReaderData, ReadRequest } from "./log-index/read-messages.ts";
import { summarizeLog } from "./log-index/summarize-log.ts";
import { loadPolicySet } from "./run-presets.ts";

// The thread of a read pool: reads one log after the other.
const { preset } = workerData as ReaderData;
const set = await loadPolicySet(preset, "");
const answer = (message: ReadAnswer): void => parentPort?.postMessage(message);

parentPort?.on("message", ({ log }: ReadRequest) => {
  summarizeLog(log, {
    set,
    onRead: (bytes) => {
      answer({ bytes });
    },
  }).then(
    (summary) => {
      answer({ summary });
    },
    (error: unknown) => {
      // Any other error ends the thread; the pool reports it for this log.
      if (!isPhasekitError(error)) throw error;
      const { code, message, hint } = error;
      answer({ error: { code, message, ...(hint !== undefined && { hint }) } });
    },
  );
});
