import type { RunEvent } from "@phasekit/core";
import { hashText, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import {
  type AgentName,
  agentOf,
  createHookSession,
  type HookAgent,
  type HookEvent,
  type HookSession,
  isAgentName,
  type ReportedAnswer,
  type SessionStatus,
} from "@phasekit/hooks";
import { createFileStore } from "@phasekit/ledger/node";
import { checkpointOf, checkpointText, hasCheckpoint } from "@phasekit/ledger/story";
import { todosOf } from "@phasekit/transcripts";
import { homedir } from "node:os";
import { isInside } from "../../config/find-config.ts";
import { makePrivateFolder } from "../../config/private-folder.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { type AnswerReader, createAnswerReader } from "./answer-reader.ts";
import { type BlindWatch, createBlindWatch } from "./blind-watch.ts";
import { modeFor } from "./hook-config.ts";
import type { LiveConfig, LoadLiveConfig } from "./live-config.ts";
import { readFilePart, sizeOfFile } from "./read-file-part.ts";
import { createSessionRuns, type SessionRules } from "./session-runs.ts";
import { createSessionTable } from "./session-table.ts";
import { openSpool } from "./spool-files.ts";
import { createTakenIds } from "./taken-ids.ts";

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

/** A session as the server lists it. */
export interface ListedSession extends SessionStatus {
  readonly session: string;
  readonly agent: string;
  readonly cwd?: string;
}

/** The sessions a waiver counts for, and those that refused it because their agent asked; as ids of their runs. */
export interface WaiveReply {
  readonly waived: readonly string[];
  readonly refused: readonly string[];
}

/** Keeps the runs of all sessions in memory. It has no socket of its own. */
export interface HookServer {
  /**
   * Takes one event of an agent: its head as the hook command wrote it, and the payload as the agent did. Resolves with
   * the answer for the agent, as text, once the store has the event. Never rejects; the answer to what fails is empty.
   */
  readonly takeEvent: (head: LooseObject, payload: string) => Promise<string>;
  /** Answers a request of the user's commands. */
  readonly operate: (request: LooseObject) => Promise<unknown>;
  /** Takes in the events that found no server. */
  readonly readSpool: () => Promise<number>;
  readonly sessions: () => readonly ListedSession[];
  /** Ends what is open and lets go of the store. */
  readonly close: () => Promise<void>;
}

interface OpenSession {
  readonly session: HookSession;
  readonly agent: string;
  cwd: string | undefined;
  /** The agent's own log; some agents name it late. */
  transcript: string | undefined;
  readonly answers: AnswerReader | undefined;
  readonly watch: BlindWatch;
  /** When its last event came. */
  lastAt: number;
  /** Opens the last run of an earlier process again, if it was done. */
  readonly reopen: () => Promise<void>;
}

/** An event that is to be taken in. */
interface IncomingEvent {
  readonly agent: HookAgent;
  readonly event: HookEvent;
  readonly id: string | undefined;
  readonly at: number | undefined;
}

const MAX_RECENT = 256;
/** Two installations send the same event within this time. */
const DOUBLED_MS = 1500;
/** An agent that sent its event longer ago has continued without us, so an answer would only be in our log. */
const PATIENCE_MS = 900;
/** An agent does not wait longer than this for a store that is slow. */
const STORE_MS = 200;
/** Copilot CLI writes what its last answers cost within this time after its last event. */
const LAST_WORDS_MS = 1500;
const LOG_TAIL = 512 * 1024;

export function createHookServer({
  paths,
  home = homedir(),
  clock = Date.now,
  onError = () => undefined,
  loadConfig = () => Promise.resolve(undefined),
  maxSessions = 1024,
  logLimitMs,
}: HookServerOptions): HookServer {
  makePrivateFolder(paths.root);
  const store = createFileStore(paths.runs, { level: "kernel", onError });
  const logLimit = logLimitMs === undefined ? {} : { limitMs: logLimitMs };
  /** The time of a spooled event while it is taken in. */
  let past: number | undefined;
  const now = (): number => past ?? clock();
  const runs = createSessionRuns({ store, clock: now, onError });
  const sessions = createSessionTable<OpenSession>({ clock: now, maxSessions });
  const spool = openSpool(paths, { onError, clock });
  const taken = createTakenIds(paths.taken);
  /** When payloads came last, by their hash. */
  const recent = new Map<string, number>();
  /** The last event of each session: the order of its events is the order they came in. */
  const queues = new Map<string, Promise<unknown>>();
  /** Sessions that are about to end. */
  const leaving = new Map<string, () => Promise<void>>();
  /** The reading of events that found no server, while it lasts. */
  let spooling: Promise<number> | undefined;

  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (queues.get(key) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (queues.get(key) === settled) queues.delete(key);
      });
    queues.set(key, settled);
    return done;
  }

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

  async function sessionOf(key: string, { agent, event }: IncomingEvent): Promise<OpenSession> {
    const known = sessions.use(key);
    // An agent that changes its folder still works on the project it was started in.
    if (known !== undefined) known.cwd ??= event.cwd;
    return known ?? openSession(key, { agent, event });
  }

  async function openSession(
    key: string,
    { agent, event }: Pick<IncomingEvent, "agent" | "event">,
  ): Promise<OpenSession> {
    const { cwd } = event;
    const rules = await rulesFor(agent.name, cwd);
    const { last, readable, ...restored } = await runs.restore(key, rules);
    let { number } = restored;
    const isNew = event.kind === "session.started" && event.source === "startup";
    const recorded = await runs.recorded(key).catch(() => []);
    const watch = createBlindWatch(logLimit);
    // A server that left while the agent worked, and a session that Phasekit joins late.
    const missing = missingSince(recorded, event);
    if (readable && missing !== undefined) watch.suspect(missing);
    const answered = recorded.filter(({ type }) => type === "model.answered").length;
    const isWhole = isNew || number > 0 || missing !== undefined;
    const session = createHookSession({
      agent,
      mode: rules.mode,
      openRun: ({ task }) => runs.open(key, { ...rules, number: (number += 1), ...(task !== undefined && { task }) }),
      openChild: (parent) => runs.openChild(key, { ...rules, parent }),
      ...(last !== undefined && { restored: last.run, earlier: last.earlier }),
      readable,
      todosIn: todosOf,
    });
    const opened: OpenSession = {
      session,
      agent: agent.name,
      cwd,
      transcript: undefined,
      reopen: async () => {
        if (!readable || number === 0 || session.run() !== undefined) return;
        const again = await runs.reopen(key, { ...rules, number });
        if (again !== undefined) session.continueRun(again.run, again.earlier);
      },
      answers:
        agent.answerLog &&
        createAnswerReader(agent.answerLog, {
          from: isWhole ? "start" : "end",
          skip: answered,
          ...logLimit,
        }),
      watch,
      lastAt: recorded.at(-1)?.at ?? now(),
    };
    // A session that was set aside comes back from its log.
    for (const aside of sessions.add(key, opened)) void inTurn(aside, () => runs.release(aside)).catch(onError);
    return opened;
  }

  /** True for an event that a second installation, such as one of the project beside the user's, sends as well. */
  function isDoubled(agent: string, payload: string): boolean {
    const key = `${agent} ${hashText(payload)}`;
    const seenAt = recent.get(key);
    const isNew = seenAt === undefined || now() - seenAt > DOUBLED_MS;
    recent.delete(key);
    recent.set(key, now());
    if (recent.size > MAX_RECENT) recent.delete(recent.keys().next().value ?? "");
    return !isNew;
  }

  /** The event of a request; undefined if there is nothing to do about it. */
  function readEvent(head: LooseObject, text: string, payload: LooseObject): IncomingEvent | undefined {
    const id = nameIn(head["id"]);
    // Its sender gave up on the answer, and sent it again or left it in the spool.
    if (id !== undefined && taken.has(id)) return undefined;
    const installedFor = textIn(head["agent"]);
    if (installedFor !== "auto" && !isAgentName(installedFor)) return undefined;
    const agent = agentOf(payload, installedFor);
    // No answer, since the first one has it: a finish that comes twice is then accepted, not vetoed twice.
    if (isDoubled(agent.name, text)) return undefined;
    const event = agent.read(payload, nameIn(head["event"]));
    const isNothing = event.session === "" || event.kind === "ignored";
    return isNothing ? undefined : { agent, event, id, at: numberIn(head["at"]) };
  }

  const keyOf = ({ agent, event }: IncomingEvent): string => `${agent.name}-${event.session}`;

  /** Ends a session a little later: its agent still writes about its last answers. Another event of it comes after. */
  function endLater(key: string, incoming: IncomingEvent): void {
    const end = async (): Promise<void> => {
      clearTimeout(timer);
      if (!leaving.delete(key)) return;
      await handle(incoming, { late: false });
      await settle(incoming, STORE_MS);
    };
    const timer = setTimeout(() => void inTurn(key, end).catch(onError), LAST_WORDS_MS);
    timer.unref();
    leaving.set(key, end);
  }

  /** Gives an event to its session. Resolves with the answer for the agent. */
  async function handle(incoming: IncomingEvent, { late }: { readonly late: boolean }): Promise<string> {
    const { agent } = incoming;
    const key = keyOf(incoming);
    const event = await withExitCode(agent, incoming.event);
    const opened = await sessionOf(key, incoming);
    // The user continues a session that an earlier process of the agent ended.
    if (event.kind === "prompt.submitted" && event.byPerson) await opened.reopen();
    const answers = late ? [] : await answersFor(event, { agent, opened });
    await watchFor(event, { key, opened, late, answers: answers.length });
    const { session } = opened;
    const isLost = !late && session.wantsCheckpoint(event);
    const checkpoint = isLost ? await checkpointFor(key).catch(() => undefined) : undefined;
    const answer = session.handle(answers.length === 0 ? event : { ...event, answers }, {
      late,
      ...(checkpoint !== undefined && { checkpoint }),
    });
    if (event.kind === "session.ended") sessions.delete(key);
    const output = agent.write(event, answer);
    return output === undefined ? "" : JSON.stringify(output);
  }

  /** The checkpoint of a session; undefined if it is empty. */
  async function checkpointFor(key: string): Promise<string | undefined> {
    const checkpoint = checkpointOf(await runs.recorded(key));
    return hasCheckpoint(checkpoint) ? checkpointText(checkpoint) : undefined;
  }

  /** Catches up with what was missed before the event. */
  async function watchFor(
    event: HookEvent,
    {
      key,
      opened,
      late,
      answers,
    }: { readonly key: string; readonly opened: OpenSession; readonly late: boolean; readonly answers: number },
  ): Promise<void> {
    const { watch, session, transcript } = opened;
    if (late) watch.noteLate(event, now());
    else {
      const status = session.run()?.view.status;
      // Between two events, the model answers once; and it calls no tool before a prompt.
      const isSudden = status === "suspended" && event.kind === "tool.started";
      if (event.subagent === undefined && (isSudden || answers > 1)) watch.suspect(opened.lastAt);
      await watch.catchUp(event, { session, transcript, now: now(), recorded: () => runs.recorded(key) });
    }
    opened.lastAt = now();
  }

  /** Notes an event that the store has. False if the store refused it, or is still at it. */
  async function settle(incoming: IncomingEvent, limitMs: number): Promise<boolean> {
    const isStored = await within(limitMs, runs.stored(keyOf(incoming)), false);
    if (isStored && incoming.id !== undefined) taken.note(incoming.id);
    return isStored;
  }

  /** The model's answers since the last event, from the payload or from the agent's own log. */
  async function answersFor(
    event: HookEvent,
    { agent, opened }: { readonly agent: HookAgent; readonly opened: OpenSession },
  ): Promise<readonly ReportedAnswer[]> {
    const { answerLog } = agent;
    if (answerLog === undefined || event.answers !== undefined) return event.answers ?? [];
    // The log that is named in the events of a sub-agent is that of its parent.
    if (event.subagent !== undefined && event.kind !== "subagent.ended") return [];
    if (event.kind === "subagent.ended") {
      // A sub-agent has a log of its own, which is complete now.
      if (event.transcript === undefined) return [];
      return createAnswerReader(answerLog, { from: "start", isSubagent: true, ...logLimit }).read(event.transcript, {
        all: true,
      });
    }
    opened.transcript = event.transcript ?? opened.transcript;
    if (opened.transcript === undefined) return [];
    // While calls of a batch run, more lines may come about the answer that made them.
    const isOpen = event.kind === "tool.started" || (event.kind === "tool.ended" && agent.hasBatches);
    return (await opened.answers?.read(opened.transcript, { all: !isOpen })) ?? [];
  }

  async function takeEvent(head: LooseObject, payload: string): Promise<string> {
    try {
      do await readSpool();
      while (spooling !== undefined);
      const incoming = readEvent(head, payload, toObject(JSON.parse(payload)));
      if (incoming === undefined) return "";
      return await inTurn(keyOf(incoming), async () => {
        const late = clock() - (incoming.at ?? Infinity) > PATIENCE_MS;
        await leaving.get(keyOf(incoming))?.();
        if (incoming.event.kind === "session.ended" && incoming.agent.answerLog?.isLate === true) {
          endLater(keyOf(incoming), incoming);
          return "";
        }
        const answer = await handle(incoming, { late });
        await settle(incoming, STORE_MS);
        return answer;
      });
    } catch (error) {
      onError(error);
      return "";
    }
  }

  /**
   * Events that found no server come before all others. No other event is taken in meanwhile, because the clock of all
   * runs shows the time of the spooled one.
   */
  async function readSpool(): Promise<number> {
    if (spooling === undefined && !spool.isFilled()) return 0;
    spooling ??= Promise.all(queues.values())
      .then(() => spool.read(takeSpooled))
      .finally(() => {
        spooling = undefined;
      });
    return await spooling;
  }

  async function takeSpooled({ payload, ...head }: LooseObject): Promise<boolean> {
    past = numberIn(head["at"]);
    try {
      const incoming = readEvent(head, JSON.stringify([payload]), toObject(payload));
      if (incoming === undefined) return true;
      await handle(incoming, { late: true });
      return await settle(incoming, STORE_MS);
    } catch (error) {
      onError(error);
      return true;
    } finally {
      past = undefined;
    }
  }

  async function operate(request: LooseObject): Promise<unknown> {
    switch (request["op"]) {
      case "status":
        return chosen(request)[0] ?? null;
      case "waive": {
        const reply = waive(request);
        await Promise.all(reply.waived.map((key) => within(STORE_MS, runs.stored(key), false)));
        return reply;
      }
      case "ping":
        return { pid: process.pid, sessions: sessions.size() };
      default:
        return null;
    }
  }

  function listed(): ListedSession[] {
    return sessions.newestFirst().map(([key, { session, agent, cwd }]) => ({
      session: key.slice(agent.length + 1),
      agent,
      ...(cwd !== undefined && { cwd }),
      ...session.status(),
    }));
  }

  /** The sessions a question is about, the newest first: the named one, else those of the folder or one above it. */
  function chosen({ session, cwd }: LooseObject): ListedSession[] {
    if (typeof session === "string") return listed().filter((one) => one.session === session);
    if (typeof cwd !== "string") return listed();
    return listed().filter((one) => one.cwd !== undefined && isInside(cwd, one.cwd));
  }

  function waive(request: LooseObject): WaiveReply {
    const gate = nameIn(request["gate"]);
    const reason = nameIn(request["reason"]);
    const reply: Record<"waived" | "refused", string[]> = { waived: [], refused: [] };
    if (gate === undefined || reason === undefined) return reply;
    for (const { agent, session } of chosen(request)) {
      const open = sessions.get(`${agent}-${session}`)?.session;
      const byAgent = request["byAgent"] === true;
      if (open !== undefined) reply[open.waive(gate, { reason, byAgent })].push(`${agent}-${session}`);
    }
    return reply;
  }

  return {
    takeEvent,
    operate,
    readSpool,
    sessions: listed,
    close: async () => {
      await spooling?.catch(onError);
      await Promise.all(queues.values());
      for (const end of leaving.values()) await end().catch(onError);
      sessions.clear();
      await store.close();
    },
  };
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

/** Codex's payload does not say how a command ended; its log does, at that moment. */
async function withExitCode(agent: HookAgent, event: HookEvent): Promise<HookEvent> {
  if (agent.exitCodeIn === undefined || event.kind !== "tool.ended") return event;
  const { transcript, call, outcome } = event;
  if (transcript === undefined || call === undefined) return event;
  try {
    const exitCode = agent.exitCodeIn(await readTail(transcript), call);
    return exitCode === undefined ? event : { ...event, exitCode, outcome: exitCode === 0 ? outcome : "error" };
  } catch {
    return event;
  }
}

async function readTail(path: string): Promise<string> {
  const size = await sizeOfFile(path);
  const length = Math.min(size, LOG_TAIL);
  return readFilePart(path, size - length, length);
}

function within<T>(limitMs: number, work: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
