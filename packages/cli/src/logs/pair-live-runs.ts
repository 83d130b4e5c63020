import { basename, dirname } from "node:path";
import type { FoundLog } from "./find-logs.ts";

/**
 * Returns the logs of tools and live runs without the sessions that both have: the live run also knows what Phasekit
 * said, so it takes the place of the tool's own log.
 */
export function pairLiveRuns(live: readonly FoundLog[], logs: readonly FoundLog[]): readonly FoundLog[] {
  if (live.length === 0) return logs;
  const liveBySession = new Map<string, string[]>();
  for (const { run = "" } of live) {
    const session = run.replace(/\.\d+$/, "");
    for (const name of [session, shortName(session)])
      liveBySession.set(name, [...(liveBySession.get(name) ?? []), run]);
  }
  const logByRun = new Map<string, FoundLog>();
  const others: FoundLog[] = [];
  for (const log of logs) {
    const runs = namesOf(log).flatMap((name) => liveBySession.get(`${log.tool}-${name}`) ?? []);
    for (const run of runs) logByRun.set(run, log);
    if (runs.length === 0) others.push(log);
  }
  const paired = live.map((one) => {
    const log = logByRun.get(one.run ?? "");
    if (log === undefined) return one;
    const { tool, title, folder, path } = log;
    return { ...one, tool, title, ownLog: path, ...(folder !== undefined && { folder }) };
  });
  return [...paired, ...others];
}

/** Gemini CLI writes only the beginning of the session into the name of its log. */
function shortName(session: string): string {
  return session.replace(/([0-9a-f]{8})-[0-9a-f-]{27}$/, "$1");
}

/** Names a tool keeps a session under: in a database, of a file, at the end of a file's name, of its folder. */
function namesOf({ session, path }: FoundLog): readonly string[] {
  const file = basename(path).replace(/\.jsonl?(?:\.zst)?$/, "");
  const names = [
    session ?? file,
    file.slice(-36),
    file.split("_").at(-1) ?? file,
    file.slice(-8),
    basename(dirname(path)),
  ];
  return [...new Set(names)];
}
