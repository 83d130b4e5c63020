import type { Delegate, HookAgent, HookEvent, HookEventOf, ReportedAnswer } from "@phasekit/hooks";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type AnswerReader, createAnswerReader } from "./answer-reader.ts";
import { readFilePart, sizeOfFile } from "./read-file-part.ts";

/** Reads about events in the agent's own logs. */
export interface OwnAnswers {
  /** The event with the model's answers since the last one, and with the exit code of its call. */
  readonly addTo: (event: HookEvent) => Promise<HookEvent>;
  /** The session begins: all of its log is new. */
  readonly startOver: () => void;
  /** The agent's own log of the session; some agents name it late. */
  readonly transcript: () => string | undefined;
}

export interface OwnAnswersOptions {
  readonly agent: HookAgent;
  /** Where to begin: a session that was joined late counts from there on. */
  readonly from: "start" | "end";
  /** The number of answers in the log that are known. */
  readonly skip: number;
  readonly limitMs?: number;
}

const LOG_TAIL = 512 * 1024;
/** A log names its task at its beginning. */
const LOG_HEAD = 64 * 1024;
const MAX_LOGS = 256;
/** Copilot CLI writes its log four times a second. */
const LATE_MS = 500;
const LOOK_MS = 50;

/** Follows the logs of one session. */
export function createOwnAnswers({ agent, from, skip, limitMs }: OwnAnswersOptions): OwnAnswers {
  const { answerLog, delegate } = agent;
  const limit = limitMs === undefined ? {} : { limitMs };
  let main: AnswerReader | undefined = answerLog && createAnswerReader(answerLog, { from, skip, ...limit });
  let transcript: string | undefined;
  /** Logs of sub-agents that are counted. */
  const counted = new Set<string>();

  async function answersFor(event: HookEvent): Promise<readonly ReportedAnswer[]> {
    if (event.answers !== undefined) return ofSubagent(event, event.answers);
    if (answerLog === undefined) return [];
    const isOwn = answerLog.hasSubagents === true;
    // Elsewhere, the log that is named in the events of a sub-agent is that of its parent.
    if (event.subagent !== undefined && event.kind !== "subagent.ended" && !isOwn) return [];
    if (event.kind === "subagent.ended" && !isOwn)
      return event.transcript === undefined ? [] : ofSubagent(event, await wholeLog(event.transcript));
    transcript = event.transcript ?? transcript;
    if (transcript === undefined) return [];
    const isEnd = event.kind === "finish.asked" || event.kind === "subagent.ended";
    const isLast = isEnd || event.kind === "session.ended";
    if (isEnd && answerLog.isLate === true) await untilLogged(transcript, event.logMark, limitMs);
    // While calls of a batch run, more lines may come about the answer that made them.
    const isOpen = event.kind === "tool.started" || (event.kind === "tool.ended" && agent.hasBatches);
    return (await main?.read(transcript, { all: !isOpen, isLast })) ?? [];
  }

  async function withLastWords(event: HookEvent): Promise<HookEvent> {
    if (event.kind !== "finish.asked" || event.text !== "" || transcript === undefined) return event;
    const text = agent.lastWordsIn?.(await readTail(transcript).catch(() => ""));
    return text === undefined ? event : { ...event, text };
  }

  /** A sub-agent has a log of its own, which is complete when it ends. */
  async function wholeLog(path: string): Promise<readonly ReportedAnswer[]> {
    if (answerLog === undefined) return [];
    return await createAnswerReader(answerLog, { from: "start", isSubagent: true, ...limit }).read(path, {
      all: true,
      isLast: true,
    });
  }

  /** The answers of the sub-agent that worked inside a call. */
  async function delegatedAnswers(
    { logs, taskIn }: Delegate,
    event: HookEventOf<"tool.ended">,
  ): Promise<readonly ReportedAnswer[]> {
    if (transcript === undefined) return [];
    const folder = logs.folder(transcript, event.session);
    const names = await readdir(folder).catch((): string[] => []);
    for (const path of names.slice(-MAX_LOGS).map((name) => join(folder, name))) {
      if (counted.has(path) || !logs.isAbout(await headOf(path), taskIn(event.input))) continue;
      counted.add(path);
      return await wholeLog(path);
    }
    return [];
  }

  return {
    addTo: async (event) => {
      // Those of a sub-agent may name its own log.
      if (event.subagent === undefined && event.kind !== "subagent.ended") transcript = event.transcript ?? transcript;
      const known = await withExitCode(agent, event);
      const answers = await answersFor(known);
      const full = await withLastWords(answers.length === 0 ? known : { ...known, answers });
      if (delegate === undefined || full.kind !== "tool.ended" || full.tool !== delegate.tool) return full;
      return { ...full, subagentAnswers: await delegatedAnswers(delegate, full) };
    },
    startOver: () => {
      if (answerLog !== undefined && transcript === undefined)
        main = createAnswerReader(answerLog, { from: "start", ...limit });
    },
    transcript: () => transcript,
  };
}

/** Waits until the log has what came before an event: the agent writes while it waits for the answer. */
async function untilLogged(path: string, mark: string | undefined, limitMs = LATE_MS): Promise<void> {
  if (mark === undefined) return;
  for (let left = limitMs; left > 0; left -= LOOK_MS) {
    if ((await readTail(path).catch(() => "")).includes(mark)) return;
    await setTimeout(LOOK_MS);
  }
}

/** The answers of a payload or a log that are those of one sub-agent. */
function ofSubagent(event: HookEvent, answers: readonly ReportedAnswer[]): readonly ReportedAnswer[] {
  const subagent = event.kind === "subagent.ended" ? event.id : event.subagent;
  return subagent === undefined ? answers : answers.map((answer) => ({ ...answer, subagent }));
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

async function headOf(path: string): Promise<string> {
  try {
    return await readFilePart(path, 0, Math.min(await sizeOfFile(path), LOG_HEAD));
  } catch {
    return "";
  }
}
