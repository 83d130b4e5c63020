import type { RunEvent } from "@phasekit/core";
import { type AgentName, createHookSession, type HookEvent, type HookSession } from "@phasekit/hooks";
import { todosOf } from "@phasekit/transcripts";
import type { HookPaths } from "../client/hook-paths.ts";
import { type BlindWatch, createBlindWatch } from "./blind-watch.ts";
import { modeFor } from "./hook-config.ts";
import type { IncomingEvent } from "./incoming-event.ts";
import type { LiveConfig, LoadLiveConfig } from "./live-config.ts";
import { createOwnAnswers, type OwnAnswers } from "./own-answers.ts";
import type { SessionRules, SessionRuns } from "./session-runs.ts";

/** A session in memory, with what follows its agent's logs. */
export interface OpenSession {
  readonly session: HookSession;
  readonly agent: string;
  cwd: string | undefined;
  readonly own: OwnAnswers;
  readonly watch: BlindWatch;
  /** When its last event came. */
  lastAt: number;
  /** Opens the last run of an earlier process again, if it was done. */
  readonly reopen: () => Promise<void>;
}

export interface SessionOpenerOptions {
  readonly paths: HookPaths;
  readonly home: string;
  readonly runs: SessionRuns;
  readonly now: () => number;
  readonly onError: (problem: unknown) => void;
  readonly loadConfig: LoadLiveConfig;
  readonly logLimitMs?: number;
}

/** Returns the function that opens a session at an event: a new one, or one of an earlier process. */
export function createSessionOpener({
  paths,
  home,
  runs,
  now,
  onError,
  loadConfig,
  logLimitMs,
}: SessionOpenerOptions): (key: string, incoming: IncomingEvent) => Promise<OpenSession> {
  const limit = logLimitMs === undefined ? {} : { limitMs: logLimitMs };

  async function rulesFor(agent: AgentName, cwd: string | undefined): Promise<SessionRules> {
    let config: LiveConfig | undefined;
    try {
      config = cwd === undefined ? undefined : await loadConfig(cwd);
    } catch (error) {
      onError(error);
    }
    const { mode: configured } = config ?? {};
    const known = { ...(cwd !== undefined && { cwd }), ...(configured !== undefined && { configured }) };
    const mode = modeFor(agent, { userConfig: paths.config, home, ...known });
    return { mode, ...(config !== undefined && { config }), ...(cwd !== undefined && { folder: cwd }) };
  }

  return async (key, { agent, event }) => {
    const { cwd } = event;
    const rules = await rulesFor(agent.name, cwd);
    const { last, readable, ...restored } = await runs.restore(key, rules);
    let { number } = restored;
    const recorded = await runs.recorded(key).catch(() => []);
    const watch = createBlindWatch(limit);
    // A server that left while the agent worked, and a session that Phasekit joins late.
    const missing = missingSince(recorded, event);
    if (readable && missing !== undefined) watch.suspect(missing);
    const isWhole = isStart(event) || number > 0 || missing !== undefined;
    const session = createHookSession({
      agent,
      mode: rules.mode,
      openRun: ({ task }) => runs.open(key, { ...rules, number: (number += 1), ...(task !== undefined && { task }) }),
      openChild: (parent, origin) => runs.openChild(key, { ...rules, ...origin, parent }),
      ...(last !== undefined && { restored: last.run, earlier: last.earlier }),
      readable,
      todosIn: todosOf,
    });
    return {
      session,
      agent: agent.name,
      cwd,
      reopen: async () => {
        if (!readable || number === 0 || session.run() !== undefined) return;
        const again = await runs.reopen(key, { ...rules, number });
        if (again !== undefined) session.continueRun(again.run, again.earlier);
      },
      own: createOwnAnswers({
        agent,
        from: isWhole ? "start" : "end",
        skip: recorded.filter(({ type }) => type === "model.answered").length,
        ...limit,
      }),
      watch,
      lastAt: recorded.at(-1)?.at ?? now(),
    };
  };
}

/** True for the start of a session that is new. */
export function isStart(event: HookEvent): boolean {
  return event.kind === "session.started" && event.source === "startup";
}

/** Events that do not come first in a session. */
const LATER: ReadonlySet<HookEvent["kind"]> = new Set(["tool.started", "tool.ended", "batch.ended", "finish.asked"]);

/** Since when something may be missing in the runs of a session; undefined if nothing is. */
function missingSince(recorded: readonly RunEvent[], event: HookEvent): number | undefined {
  const last = recorded.findLast(({ type }) => type !== "run.resumed");
  const isAtRest = last?.type === "run.finished" || (last?.type === "move.requested" && last.do === "suspend");
  if (last === undefined || isAtRest) return LATER.has(event.kind) ? (last?.at ?? 0) : undefined;
  return last.at;
}
