import { type LooseObject, numberIn } from "@phasekit/core/adapter";
import type { HookAnswer, HookEvent } from "@phasekit/hooks";
import { createFileStore } from "@phasekit/ledger/node";
import { checkpointOf, checkpointText, hasCheckpoint } from "@phasekit/ledger/story";
import { homedir } from "node:os";
import { makePrivateFolder } from "../../config/private-folder.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { createEventReader, type IncomingEvent } from "./incoming-event.ts";
import type { Reply } from "./listen-for-requests.ts";
import type { LoadLiveConfig } from "./live-config.ts";
import { createSessionOpener, isStart, type OpenSession } from "./open-sessions.ts";
import { createSessionQueues, within } from "./session-queues.ts";
import { createSessionRuns } from "./session-runs.ts";
import { createSessionTable } from "./session-table.ts";
import { openSpool } from "./spool-files.ts";
import { createTakenIds } from "./taken-ids.ts";
import { createUserOperations, type ListedSession } from "./user-operations.ts";

export interface HookServerOptions {
  readonly paths: HookPaths;
  /** The user's home folder; settings of projects above it do not count. @default the one of this process */
  readonly home?: string;
  readonly clock?: () => number;
  readonly onError?: (problem: unknown) => void;
  /** Loads the approved config of a project. @default none: every session is judged by the defaults */
  readonly loadConfig?: LoadLiveConfig;
  /** Sessions that are kept in memory at most. @default 1024 */
  readonly maxSessions?: number;
  /** How long one event waits for the agent's own log. @default 150 for its answers, 400 to catch up */
  readonly logLimitMs?: number;
}

/** Keeps the runs of all sessions in memory. It has no socket of its own. */
export interface HookServer {
  /**
   * Takes one event of an agent: its head as the hook command wrote it, and the payload as the agent did. Resolves with
   * the answer for the agent, once the store has the event. Never rejects; the answer to what fails is empty.
   */
  readonly takeEvent: (head: LooseObject, payload: string) => Promise<Reply>;
  /** Answers a request of the user's commands. */
  readonly operate: (request: LooseObject) => Promise<unknown>;
  /** Takes in the events that found no server. */
  readonly readSpool: () => Promise<number>;
  readonly sessions: () => readonly ListedSession[];
  /** Ends what is open and lets go of the store. */
  readonly close: () => Promise<void>;
}

/** An answer, and the event it is to. */
interface EventAnswer {
  readonly event: HookEvent;
  readonly answer: HookAnswer;
  readonly opened: OpenSession;
}

/** An agent does not wait longer than this for a store that is slow. */
const STORE_MS = 200;
/** An answer needs this time to be on its way. */
const SENDING_MS = 50;
/** Copilot CLI writes what its last answers cost within this time after its last event. */
const LAST_WORDS_MS = 1500;

export function createHookServer({
  paths,
  home = homedir(),
  clock = Date.now,
  onError = () => undefined,
  loadConfig = () => Promise.resolve(undefined),
  maxSessions = 1024,
  ...limits
}: HookServerOptions): HookServer {
  makePrivateFolder(paths.root);
  const store = createFileStore(paths.runs, { level: "kernel", onError });
  /** The time of a spooled event while it is taken in. */
  let past: number | undefined;
  const now = (): number => past ?? clock();
  const runs = createSessionRuns({ store, clock: now, onError });
  const openSession = createSessionOpener({ paths, home, runs, now, onError, loadConfig, ...limits });
  const sessions = createSessionTable<OpenSession>({ clock: now, maxSessions });
  const spool = openSpool(paths, { onError, clock });
  const taken = createTakenIds(paths.taken);
  const events = createEventReader({ now, isTaken: taken.has });
  const { inTurn, idle } = createSessionQueues();
  /** Sessions that are about to end. */
  const leaving = new Map<string, () => Promise<void>>();
  /** The reading of events that found no server, while it lasts. */
  let spooling: Promise<number> | undefined;
  const { listed, operate } = createUserOperations({
    sessions,
    settle: (key) => within(STORE_MS, runs.stored(key), false),
  });

  async function sessionOf(key: string, incoming: IncomingEvent): Promise<OpenSession> {
    const known = sessions.use(key);
    if (known !== undefined) {
      // An agent that changes its folder still works on the project it was started in.
      known.cwd ??= incoming.event.cwd;
      return known;
    }
    const opened = await openSession(key, incoming);
    // A session that was set aside comes back from its log.
    for (const aside of sessions.add(key, opened)) void inTurn(aside, () => runs.release(aside)).catch(onError);
    return opened;
  }

  /** Ends a session a little later: its agent still writes about its last answers. Another event of it comes after. */
  function endLater(key: string, incoming: IncomingEvent): void {
    const end = async (): Promise<void> => {
      clearTimeout(timer);
      if (!leaving.delete(key)) return;
      // The agent does not wait for its answer.
      await handle({ ...incoming, until: undefined });
      await settle(incoming);
    };
    const timer = setTimeout(() => void inTurn(key, end).catch(onError), LAST_WORDS_MS);
    timer.unref();
    leaving.set(key, end);
  }

  /** How long the sender of an event still waits. */
  const timeLeft = ({ until = Infinity }: IncomingEvent): number => until - clock() - SENDING_MS;

  /** Gives an event to its session. */
  async function handle(incoming: IncomingEvent, { spooled = false } = {}): Promise<EventAnswer> {
    const key = keyOf(incoming);
    const opened = await sessionOf(key, incoming);
    const { session, own } = opened;
    // The user continues a session that an earlier process of the agent ended.
    if (incoming.event.kind === "prompt.submitted" && incoming.event.byPerson) await opened.reopen();
    // Copilot CLI starts the hooks of a session's start and of its prompt together: either comes first.
    if (isStart(incoming.event)) own.startOver();
    const isPast = spooled || timeLeft(incoming) < 0;
    const event = isPast ? incoming.event : await own.addTo(incoming.event);
    if (isPast) noteLate(opened, event);
    else await catchUp(opened, event, { key, limitMs: timeLeft(incoming) });
    opened.lastAt = now();
    const checkpoint =
      !isPast && session.wantsCheckpoint(event) ? await checkpointFor(key).catch(() => undefined) : undefined;
    // Reading took its time, and nothing may be decided for an agent that has continued.
    const late = spooled || timeLeft(incoming) < 0;
    if (late && !isPast) noteLate(opened, event);
    const answer = session.handle(event, { late, ...(checkpoint !== undefined && { checkpoint }) });
    if (event.kind === "session.ended") sessions.delete(key);
    return { event, answer, opened };
  }

  function noteLate({ watch }: OpenSession, event: HookEvent): void {
    watch.noteLate(event, now());
  }

  /** Catches up with what was missed before the event. */
  async function catchUp(
    { watch, session, own, lastAt }: OpenSession,
    event: HookEvent,
    { key, limitMs }: { readonly key: string; readonly limitMs: number },
  ): Promise<void> {
    const status = session.run()?.view.status;
    // Between two events, the model answers once; and it calls no tool before a prompt.
    const isSudden = status === "suspended" && event.kind === "tool.started";
    const answers = (event.answers ?? []).filter(({ subagent }) => subagent === undefined).length;
    if (event.subagent === undefined && (isSudden || answers > 1)) watch.suspect(lastAt);
    await watch.catchUp(event, {
      session,
      transcript: own.transcript(),
      now: now(),
      limitMs,
      recorded: () => runs.recorded(key),
    });
  }

  /** The checkpoint of a session; undefined if it is empty. */
  async function checkpointFor(key: string): Promise<string | undefined> {
    const checkpoint = checkpointOf(await runs.recorded(key));
    return hasCheckpoint(checkpoint) ? checkpointText(checkpoint) : undefined;
  }

  /** Notes an event that the store has. False if the store refused it, or is still at it. */
  async function settle(incoming: IncomingEvent, limitMs = STORE_MS): Promise<boolean> {
    const isStored = await within(limitMs, runs.stored(keyOf(incoming)), false);
    if (isStored && incoming.id !== undefined) taken.note(incoming.id);
    return isStored;
  }

  async function takeEvent(head: LooseObject, payload: string): Promise<Reply> {
    try {
      do await readSpool();
      while (spooling !== undefined);
      const incoming = events.read(head, payload);
      if (incoming === undefined) return { text: "" };
      const key = keyOf(incoming);
      return await inTurn(key, async () => {
        await leaving.get(key)?.();
        if (incoming.event.kind === "session.ended" && incoming.agent.answerLog?.isLate === true) {
          endLater(key, incoming);
          return { text: "" };
        }
        const given = await handle(incoming);
        await settle(incoming, Math.min(STORE_MS, Math.max(0, timeLeft(incoming))));
        return replyTo(incoming, given);
      });
    } catch (error) {
      onError(error);
      return { text: "" };
    }
  }

  /** The answer in the agent's own words. If it does not arrive, the run says so. */
  function replyTo(incoming: IncomingEvent, { event, answer, opened }: EventAnswer): Reply {
    const output = incoming.agent.write(event, answer);
    if (output === undefined) return { text: "" };
    const lost = (): Promise<void> =>
      inTurn(keyOf(incoming), () => Promise.resolve(opened.session.answerLost(event, answer))).catch(onError);
    return { text: JSON.stringify(output), onLost: () => void lost() };
  }

  /**
   * Events that found no server come before all others. No other event is taken in meanwhile, because the clock of all
   * runs shows the time of the spooled one.
   */
  async function readSpool(): Promise<number> {
    if (spooling === undefined && !spool.isFilled()) return 0;
    spooling ??= idle()
      .then(() => spool.read(takeSpooled))
      .finally(() => {
        spooling = undefined;
      });
    return await spooling;
  }

  async function takeSpooled({ payload, ...head }: LooseObject): Promise<boolean> {
    past = numberIn(head["at"]);
    try {
      const incoming = events.read(head, payload as object);
      if (incoming === undefined) return true;
      await handle(incoming, { spooled: true });
      return await settle(incoming);
    } catch (error) {
      onError(error);
      return true;
    } finally {
      past = undefined;
    }
  }

  return {
    takeEvent,
    operate,
    readSpool,
    sessions: listed,
    close: async () => {
      await spooling?.catch(onError);
      await idle();
      for (const end of leaving.values()) await end().catch(onError);
      sessions.clear();
      await store.close();
    },
  };
}

const keyOf = ({ agent, event }: IncomingEvent): string => `${agent.name}-${event.session}`;
