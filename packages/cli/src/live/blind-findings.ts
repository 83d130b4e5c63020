import { blindText } from "@phasekit/core/adapter";
import { storyOf } from "@phasekit/ledger/story";
import { readRun } from "@phasekit/ledger";
import { hookPaths } from "../hooks/client/hook-paths.ts";
import { spooledSince } from "../hooks/client/spooled-since.ts";
import { isStore, openStore } from "../logs/own-runs.ts";
import type { Finding } from "../render/findings.ts";
import { ago } from "../render/numbers.ts";

const DAY_MS = 24 * 3_600_000;
const MAX_RUNS = 20;

/** The times of the last day in which an agent worked and Phasekit could not answer. */
export async function blindFindings(root: string, now: number): Promise<readonly Finding[]> {
  const paths = hookPaths(root);
  const since = spooledSince(paths);
  const waiting: readonly Finding[] =
    since === undefined
      ? []
      : [
          {
            what: "Live sessions",
            verdict: "problem",
            text: `blind since ${ago(Math.max(0, now - since))}: events of agents wait for the local server`,
            fix: "phasekit doctor",
          },
        ];
  if (!isStore(paths.runs)) return waiting;
  const store = await openStore(paths.runs);
  const found: Finding[] = [];
  for (const { run, updatedAt } of await store.list({ limit: MAX_RUNS })) {
    if (now - updatedAt > DAY_MS) break;
    const events = await readRun(store, run).catch(() => []);
    if (events[0]?.type !== "run.started") continue;
    const blind = storyOf(events).blind.filter(({ to }) => now - to <= DAY_MS);
    for (const span of blind)
      found.push({ what: "Live sessions", verdict: "note", text: `${run}: ${blindText(span)}` });
  }
  return [...waiting, ...found];
}
