import { setTimeout as delay } from "node:timers/promises";
import { type Pool, quotedSchema } from "./database.ts";
import type { ChangeOptions } from "./watch-changes.ts";

/** Announcements are gathered for this long: a commit never waits for one, and many commits share one. */
const GATHER_MS = 20;

/** Makes a function that says that something has changed, soon, and once for many times. */
export function createAnnouncer(pool: Pool, { schema: name, topic, notifications = true }: ChangeOptions): () => void {
  if (!notifications) return () => undefined;
  const channel = quotedSchema(name).slice(1, -1);
  let isNew = false;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    while (isNew) {
      await delay(GATHER_MS, undefined, { ref: false });
      isNew = false;
      // A hint need not survive a crash: no caller waits for the disk, least of all those who commit behind it.
      await pool
        .query({
          name: "phasekit-announce",
          text: "select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
          values: [channel, topic],
        })
        .catch(() => undefined);
    }
    isSending = false;
  };
  return () => {
    isNew = true;
    if (!isSending) void send();
  };
}
