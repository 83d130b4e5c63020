import { type LooseObject, numberIn } from "@phasekit/core/adapter";
import type { HookAgent, HookAnswer, HookEvent } from "@phasekit/hooks";
import { createFileStore, type FileStore } from "@phasekit/ledger/node";
import { type Checkpoint, checkpointOf, checkpointText } from "@phasekit/ledger/checkpoint";
import { homedir } from "node:os";
import { makePrivateFolder } from "../../config/private-folder.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { createAgentProcesses } from "./agent-processes.ts";
import { createEventReader, type EventReader, type IncomingEvent } from "./incoming-event.ts";
import type { Reply } from "./listen-for-requests.ts";
import type { LoadLiveConfig } from "./live-config.ts";
import { createSessionOpener, isStart, type OpenSession } from "./open-sessions.ts";
import { createSessionQueues, within } from "./session-queues.ts";
import { createSessionRuns, type SessionRuns } from "./session-runs.ts";
import { createSessionTable, type SessionTable } from "./session-table.ts";
import { openSpool, type SpoolFiles } from "./spool-files.ts";
import { createTakenIds, type TakenIds } from "./taken-ids.ts";
import { createUserOperations, type ListedSession, type UserOperations } from "./user-operations.ts";

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

export function createHookServer(options: HookServerOptions): HookServer {
  const server = new LocalServer(options);
  return {
    takeEvent: (head, payload) => server.takeEvent(head, payload),
    operate: server.users.operate,
    readSpool: () => server.readSpool(),
    sessions: server.users.listed,
    close: () => server.close(),
  };
}

/** The state of a server: what it changes with each event. */
class LocalServer {
  readonly users: UserOperations;
  readonly #clock: () => number;
  readonly #onError: (problem: unknown) => void;
  readonly #store: FileStore;
  readonly #runs: SessionRuns;
  readonly #openSession: ReturnType<typeof createSessionOpener>;
  readonly #sessions: SessionTable<OpenSession>;
  readonly #spool: SpoolFiles;
  readonly #taken: TakenIds;
  readonly #events: EventReader;
  readonly #queues = createSessionQueues();
  readonly #processes = createAgentProcesses();
  /** Sessions that are about to end. */
  readonly #leaving = new Map<string, () => Promise<void>>();
  /** The time of a spooled event while it is taken in. */
  #past: number | undefined;
  /** The reading of events that found no server, while it lasts. */
  #spooling: Promise<number> | undefined;

  constructor({
    paths,
    home = homedir(),
    clock = Date.now,
    onError = () => undefined,
    loadConfig = () => Promise.resolve(undefined),
    maxSessions = 1024,
    ...limits
  }: HookServerOptions) {
    makePrivateFolder(paths.root);
    const now = (): number => this.#now();
    this.#clock = clock;
    this.#onError = onError;
    this.#store = createFileStore(paths.runs, { level: "kernel", onError });
    this.#runs = createSessionRuns({ store: this.#store, clock: now, onError });
    this.#openSession = createSessionOpener({ paths, home, runs: this.#runs, now, onError, loadConfig, ...limits });
    this.#sessions = createSessionTable<OpenSession>({ clock: now, maxSessions });
    this.#spool = openSpool(paths, { onError, clock });
    this.#taken = createTakenIds(paths.taken);
    this.#events = createEventReader({ now, isTaken: this.#taken.has });
    this.users = createUserOperations({
      sessions: this.#sessions,
      settle: (key) => within(STORE_MS, this.#runs.stored(key), false),
    });
  }

  #now(): number {
    return this.#past ?? this.#clock();
  }

  async #sessionOf(key: string, incoming: IncomingEvent): Promise<OpenSession> {
    const known = this.#sessions.use(key);
    if (known !== undefined) {
      // An agent that changes its folder still works on the project it was started in.
      known.cwd ??= incoming.event.cwd;
      return known;
    }
    const opened = await this.#openSession(key, incoming);
    // A session that was set aside comes back from its log.
    for (const aside of this.#sessions.add(key, opened))
      void this.#queues.inTurn(aside, () => this.#runs.release(aside)).catch(this.#onError);
    return opened;
  }

  /** Ends a session a little later: its agent still writes about its last answers. Another event of it comes after. */
  #endLater(key: string, incoming: IncomingEvent): void {
    const end = async (): Promise<void> => {
      clearTimeout(timer);
      if (!this.#leaving.delete(key)) return;
      // The agent does not wait for its answer.
      await this.#handle({ ...incoming, until: undefined });
      await this.#settle(incoming);
    };
    const timer = setTimeout(() => void this.#queues.inTurn(key, end).catch(this.#onError), LAST_WORDS_MS);
    timer.unref();
    this.#leaving.set(key, end);
  }

  /** Ends a session whose agent was killed. Its own log may have more than its last event. */
  async #endGone(key: string, { agent, session: name }: { readonly agent: HookAgent; readonly session: string }) {
    await this.#queues.inTurn(key, async () => {
      const opened = this.#sessions.get(key);
      if (opened === undefined) return;
      if (opened.session.run()?.view.status === "running") opened.watch.suspect(opened.lastAt);
      const event = { agent: agent.name, kind: "session.ended", name: "", session: name } as const;
      await this.#handle({ agent, event, id: undefined, until: undefined, pid: undefined });
    });
  }

  #noteProcess(key: string, { pid, agent, event: { session } }: IncomingEvent): void {
    if (pid === undefined) return;
    const onGone = (): void => void this.#endGone(key, { agent, session }).catch(this.#onError);
    this.#processes.note(key, { pid, onGone });
  }

  /** How long the sender of an event still waits. */
  #timeLeft({ until = Infinity }: IncomingEvent): number {
    return until - this.#clock() - SENDING_MS;
  }

  /** Gives an event to its session. */
  async #handle(incoming: IncomingEvent, { spooled = false } = {}): Promise<EventAnswer> {
    const key = keyOf(incoming);
    const opened = await this.#sessionOf(key, incoming);
    const { session, own } = opened;
    // The user continues a session that an earlier process of the agent ended.
    if (incoming.event.kind === "prompt.submitted" && incoming.event.byPerson) await opened.reopen();
    // Copilot CLI starts the hooks of a session's start and of its prompt together: either comes first.
    if (isStart(incoming.event)) own.startOver();
    const isPast = spooled || this.#timeLeft(incoming) < 0;
    const event = isPast ? incoming.event : await own.addTo(incoming.event);
    if (isPast) this.#noteLate(opened, event);
    else await this.#catchUp(opened, event, { key, limitMs: this.#timeLeft(incoming) });
    opened.lastAt = this.#now();
    const checkpoint =
      !isPast && session.wantsCheckpoint(event) ? await this.#checkpointFor(key).catch(() => undefined) : undefined;
    // Reading took its time, and nothing may be decided for an agent that has continued.
    const late = spooled || this.#timeLeft(incoming) < 0;
    if (late && !isPast) this.#noteLate(opened, event);
    const answer = session.handle(event, { late, ...(checkpoint !== undefined && { checkpoint }) });
    if (event.kind === "session.ended") {
      this.#sessions.delete(key);
      this.#processes.forget(key);
    } else this.#noteProcess(key, incoming);
    return { event, answer, opened };
  }

  #noteLate({ watch }: OpenSession, event: HookEvent): void {
    watch.noteLate(event, this.#now());
  }

  /** Catches up with what was missed before the event. */
  async #catchUp(
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
      now: this.#now(),
      limitMs,
      recorded: () => this.#runs.recorded(key),
    });
  }

  /** The checkpoint of a session; undefined if it is empty. */
  async #checkpointFor(key: string): Promise<string | undefined> {
    const checkpoint = checkpointOf(await this.#runs.recorded(key));
    return hasNews(checkpoint) ? checkpointText(checkpoint) : undefined;
  }

  /** Notes an event that the store has. False if the store refused it, or is still at it. */
  async #settle(incoming: IncomingEvent, limitMs = STORE_MS): Promise<boolean> {
    const isStored = await within(limitMs, this.#runs.stored(keyOf(incoming)), false);
    if (isStored && incoming.id !== undefined) this.#taken.note(incoming.id);
    return isStored;
  }

  async takeEvent(head: LooseObject, payload: string): Promise<Reply> {
    try {
      do await this.readSpool();
      while (this.#spooling !== undefined);
      const incoming = this.#events.read(head, payload);
      if (incoming === undefined) return { text: "" };
      const key = keyOf(incoming);
      return await this.#queues.inTurn(key, async () => {
        await this.#leaving.get(key)?.();
        if (incoming.event.kind === "session.ended" && incoming.agent.answerLog?.isLate === true) {
          this.#endLater(key, incoming);
          return { text: "" };
        }
        const given = await this.#handle(incoming);
        await this.#settle(incoming, Math.min(STORE_MS, Math.max(0, this.#timeLeft(incoming))));
        return this.#replyTo(incoming, given);
      });
    } catch (error) {
      this.#onError(error);
      return { text: "" };
    }
  }

  /** The answer in the agent's own words. If it does not arrive, the run says so. */
  #replyTo(incoming: IncomingEvent, { event, answer, opened }: EventAnswer): Reply {
    const output = incoming.agent.write(event, answer);
    if (output === undefined) return { text: "" };
    const lost = (): Promise<void> =>
      this.#queues
        .inTurn(keyOf(incoming), () => Promise.resolve(opened.session.answerLost(event, answer)))
        .catch(this.#onError);
    return { text: JSON.stringify(output), onLost: () => void lost() };
  }

  /**
   * Events that found no server come before all others. No other event is taken in meanwhile, because the clock of all
   * runs shows the time of the spooled one.
   */
  async readSpool(): Promise<number> {
    if (this.#spooling === undefined && !this.#spool.isFilled()) return 0;
    this.#spooling ??= this.#queues
      .idle()
      .then(() => this.#spool.read((line) => this.#takeSpooled(line)))
      .finally(() => {
        this.#spooling = undefined;
      });
    return await this.#spooling;
  }

  async #takeSpooled({ payload, ...head }: LooseObject): Promise<boolean> {
    this.#past = numberIn(head["at"]);
    try {
      const incoming = this.#events.read(head, payload as object);
      if (incoming === undefined) return true;
      await this.#handle(incoming, { spooled: true });
      return await this.#settle(incoming);
    } catch (error) {
      this.#onError(error);
      return true;
    } finally {
      this.#past = undefined;
    }
  }

  async close(): Promise<void> {
    this.#processes.close();
    await this.#spooling?.catch(this.#onError);
    await this.#queues.idle();
    for (const end of this.#leaving.values()) await end().catch(this.#onError);
    this.#sessions.clear();
    await this.#store.close();
  }
}

/** True if a checkpoint has changes, to-dos or failures. */
const hasNews = ({ changed, todos, failures }: Checkpoint): boolean =>
  changed > 0 || todos.length > 0 || failures.length > 0;

const keyOf = ({ agent, event }: IncomingEvent): string => `${agent.name}-${event.session}`;
