import { listOpencodeSessions, readOpencodeSession } from "@phasekit/transcripts/node";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The newest log in an agent's folder of logs, or in its database; undefined if there is none. */
export function newestLog(place: string): string | undefined {
  if (place.endsWith(".db")) {
    const [newest] = listOpencodeSessions(place);
    return newest === undefined ? undefined : [...readOpencodeSession(place, newest.id)].join("");
  }
  const [newest] = readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(place, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest === undefined ? undefined : readFileSync(newest, "utf8");
}
