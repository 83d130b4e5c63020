import { hashText } from "@phasekit/core/kit";
import { createFileStore } from "@phasekit/ledger/node";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
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
import { type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/kit";
import { type AnswerReader, createAnswerReader } from "./answer-reader.ts";
import { foldersUp, modeFor } from "./hook-config.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import type { LiveConfig, LoadLiveConfig } from "./live-config.ts";
import { readFilePart, sizeOfFile } from "./read-file-part.ts";
import { createSessionRuns, type SessionRules } from "./session-runs.ts";

export interface HookServerOptions {
  readonly paths: HookPaths;
  readonly clock?: () => number;
  readonly onProblem?: (problem: unknown) => void;
  /** Loads the approved config of a project. @default none: every session is judged by the defaults */
  readonly loadConfig?: LoadLiveConfig;
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

/** Keeps the runs of all sessions in memory and answers requests. It has no socket of its own. */
export interface HookServer {
  /** The reply to one request, as the text to send back. Never rejects; the reply to what fails is empty. */
  readonly reply: (request: string) => Promise<string>;
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
  /** Opens the last run of an earlier process again, if it was done. */
  readonly reopen: () => Promise<void>;
}

const MAX_SESSIONS = 64;
const MAX_TAKEN = 4096;
const MAX_RECENT = 256;
/** Two installations send the same event within this time. */
const DOUBLED_MS = 1500;
/** An agent that sent its event longer ago has continued without us, so an answer would only be in our log. */
const PATIENCE_MS = 900;
const LOG_TAIL = 512 * 1024;

export function createHookServer({
  paths,
  clock = Date.now,
  onProblem = () => undefined,
  loadConfig = () => Promise.resolve(undefined),
}: HookServerOptions): HookServer {
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  const store = createFileStore(paths.runs, { level: "kernel", onProblem });
  /** The time of a spooled event while it is taken in. */
  let past: number | undefined;
  const now = (): number => past ?? clock();
  const runs = createSessionRuns({ store, clock: now, onProblem });
  const sessions = new Map<string, OpenSession>();
  /** When payloads came last, by their hash. */
  const recent = new Map<string, number>();
  /** Ids of the events that were taken in last. */
  const taken = new Set<string>();
  /** One request at a time: the order of events is the order they came in. */
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  }

  async function rulesFor(agent: AgentName, cwd: string | undefined): Promise<SessionRules> {
    let config: LiveConfig | undefined;
    try {
      config = cwd === undefined ? undefined : await loadConfig(cwd);
    } catch (error) {
      onProblem(error);
    }
    const { mode: configured } = config ?? {};
    const known = { ...(cwd !== undefined && { cwd }), ...(configured !== undefined && { configured }) };
    const mode = modeFor(agent, { userConfig: paths.config, ...known });
    return { mode, ...(config !== undefined && { config }) };
  }

  async function sessionOf(
    key: string,
    { agent, event }: { readonly agent: HookAgent; readonly event: HookEvent },
  ): Promise<OpenSession> {
    const { cwd } = event;
    const known = sessions.get(key);
    if (known !== undefined) {
      // Moves the session to the end: the least recently used one is dropped first.
      sessions.delete(key);
      sessions.set(key, known);
      // An agent that changes its folder still works on the project it was started in.
      known.cwd ??= cwd;
      return known;
    }
    const rules = await rulesFor(agent.name, cwd);
    const restored = await runs.restore(key, rules);
    let { number } = restored;
    const session = createHookSession({
      agent,
      mode: rules.mode,
      openRun: ({ task }) => runs.open(key, { ...rules, number: (number += 1), ...(task !== undefined && { task }) }),
      openChild: (run) => runs.openChild(run, rules),
      ...(restored.last !== undefined && { restored: restored.last.run, earlier: restored.last.earlier }),
      readable: restored.readable,
    });
    const isNew = event.kind === "session.started" && event.source === "startup";
    const opened: OpenSession = {
      session,
      agent: agent.name,
      cwd,
      transcript: undefined,
      reopen: async () => {
        if (!restored.readable || number === 0 || session.run() !== undefined) return;
        const last = await runs.reopen(key, { ...rules, number });
        if (last !== undefined) session.continueRun(last.run);
      },
      answers: agent.answerLog && createAnswerReader(agent.answerLog, { from: isNew ? "start" : "end" }),
    };
    sessions.set(key, opened);
    const [oldest] = sessions.size > MAX_SESSIONS ? sessions.keys() : [];
    if (oldest !== undefined) sessions.delete(oldest);
    return opened;
  }

  /** True for an event that was taken in already: its sender gave up on the answer and left it in the spool. */
  function isRepeated(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (taken.has(id)) return true;
    taken.add(id);
    if (taken.size > MAX_TAKEN) taken.delete(taken.values().next().value ?? "");
    return false;
  }

  /** True for an event that a second installation, such as one of the project beside the user's, sends as well. */
  function isDoubled(agent: string, payload: LooseObject): boolean {
    const key = `${agent} ${hashText(JSON.stringify(payload))}`;
    const seenAt = recent.get(key);
    const isNew = seenAt === undefined || now() - seenAt > DOUBLED_MS;
    recent.delete(key);
    recent.set(key, now());
    if (recent.size > MAX_RECENT) recent.delete(recent.keys().next().value ?? "");
    return !isNew;
  }

  async function hook(request: LooseObject, { late }: { readonly late: boolean }): Promise<string> {
    if (isRepeated(nameIn(request["id"]))) return "";
    const installedFor = textIn(request["agent"]);
    if (installedFor !== "auto" && !isAgentName(installedFor)) return "";
    const payload = toObject(request["payload"]);
    const agent = agentOf(payload, installedFor);
    // No answer, since the first one has it: a finish that comes twice is then accepted, not vetoed twice.
    if (isDoubled(agent.name, payload)) return "";
    const event = await withExitCode(agent, agent.read(payload, nameIn(request["event"])));
    if (event.session === "" || event.kind === "ignored") return "";
    const key = `${agent.name}-${event.session}`;
    const opened = await sessionOf(key, { agent, event });
    // The user continues a session that an earlier process of the agent ended.
    if (event.kind === "prompt.submitted" && event.byPerson) await opened.reopen();
    const answers = late ? [] : await answersFor(event, { agent, opened });
    const answer = opened.session.handle(answers.length === 0 ? event : { ...event, answers }, { late });
    if (event.kind === "session.ended") sessions.delete(key);
    const output = agent.write(event, answer);
    return output === undefined ? "" : JSON.stringify(output);
  }

  /** The model's answers since the last event, from the payload or from the agent's own log. */
  async function answersFor(
    event: HookEvent,
    { agent, opened }: { readonly agent: HookAgent; readonly opened: OpenSession },
  ): Promise<readonly ReportedAnswer[]> {
    const { answerLog } = agent;
    if (answerLog === undefined || event.answers !== undefined) return event.answers ?? [];
    if (event.kind === "subagent.ended") {
      // A sub-agent has a log of its own, which is complete now.
      if (event.transcript === undefined) return [];
      return createAnswerReader(answerLog, { from: "start" }).read(event.transcript, { all: true });
    }
    opened.transcript = event.transcript ?? opened.transcript;
    if (opened.transcript === undefined) return [];
    // While calls of a batch run, more lines may come about the answer that made them.
    const isOpen = event.kind === "tool.started" || (event.kind === "tool.ended" && agent.hasBatches);
    return (await opened.answers?.read(opened.transcript, { all: !isOpen })) ?? [];
  }

  async function answer(text: string): Promise<string> {
    const request = toObject(JSON.parse(text));
    switch (request["op"]) {
      case "hook":
        return hook(request, { late: clock() - (numberIn(request["at"]) ?? Infinity) > PATIENCE_MS });
      case "status":
        return JSON.stringify(chosen(request)[0] ?? null);
      case "waive":
        return JSON.stringify(waive(request));
      case "ping":
        return JSON.stringify({ pid: process.pid });
      default:
        return "";
    }
  }

  function listed(): ListedSession[] {
    return [...sessions].reverse().map(([key, { session, agent, cwd }]) => ({
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
    const folders = foldersUp(cwd);
    return listed().filter((one) => one.cwd !== undefined && folders.includes(one.cwd));
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

  async function readSpool(): Promise<number> {
    if (!existsSync(paths.spool)) return 0;
    const file = `${paths.spool}.${String(process.pid)}`;
    renameSync(paths.spool, file);
    let count = 0;
    for (const line of readFileSync(file, "utf8").split("\n")) {
      try {
        const request = toObject(JSON.parse(line));
        past = typeof request["at"] === "number" ? request["at"] : undefined;
        if (request["op"] === "hook") await hook(request, { late: true });
        count += 1;
      } catch {
        // A torn line; the ones after it count all the same.
      } finally {
        past = undefined;
      }
    }
    rmSync(file, { force: true });
    return count;
  }

  return {
    reply: (request) =>
      inTurn(async () => {
        try {
          await readSpool();
          return await answer(request);
        } catch (error) {
          onProblem(error);
          return "";
        }
      }),
    readSpool: () => inTurn(readSpool),
    sessions: listed,
    close: () =>
      inTurn(async () => {
        sessions.clear();
        await store.close();
      }),
  };
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
