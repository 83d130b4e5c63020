import { PhasekitError } from "@phasekit/core";
import { Worker } from "node:worker_threads";
import { readerFailed } from "../errors.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import type { LogSummary } from "./log-index.ts";
import type { ReadAnswer, ReaderData, ReadRequest } from "./read-messages.ts";

/** Reads logs in worker threads. */
export interface ReadPool {
  /** Reads one log, as soon as a thread is free. Rejects with the error of this log only. */
  readonly read: (log: FoundLog) => Promise<LogSummary>;
  /** Ends all threads. Logs that were not read yet reject. */
  readonly close: () => Promise<void>;
}

interface Task {
  readonly log: FoundLog;
  readonly resolve: (summary: LogSummary) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a pool. A thread that crashes is replaced, and only the log it was reading fails. */
export function createReadPool({
  file,
  size,
  preset,
  onRead,
}: {
  /** The built worker. */
  readonly file: URL;
  /** The number of threads. */
  readonly size: number;
  readonly preset: string;
  /** Called with the number of bytes read since the last call. */
  readonly onRead?: (bytes: number) => void;
}): ReadPool {
  const waiting: Task[] = [];
  const threads = new Set<Worker>();
  const idle: Worker[] = [];
  const busy = new Map<Worker, Task>();
  let isClosed = false;

  function start(): Worker {
    const data: ReaderData = { preset };
    const thread = new Worker(file, { workerData: data });
    threads.add(thread);
    thread.on("message", (answer: ReadAnswer) => {
      take(thread, answer);
    });
    // `exit` follows, and knows which log was being read.
    let problem = "the thread ended";
    thread.on("error", (error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
    });
    thread.on("exit", () => {
      gone(thread, problem);
    });
    return thread;
  }

  function take(thread: Worker, answer: ReadAnswer): void {
    if ("bytes" in answer) {
      onRead?.(answer.bytes);
      return;
    }
    const task = busy.get(thread);
    busy.delete(thread);
    idle.push(thread);
    if ("summary" in answer) task?.resolve(answer.summary);
    else {
      const { code, message, hint } = answer.error;
      task?.reject(new PhasekitError(code, message, { ...(hint !== undefined && { hint }) }));
    }
    next();
  }

  function gone(thread: Worker, problem: string): void {
    threads.delete(thread);
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    const task = busy.get(thread);
    busy.delete(thread);
    task?.reject(readerFailed(task.log.path, problem));
    next();
  }

  /** Hands logs to idle threads, and starts threads while there are fewer than allowed. */
  function next(): void {
    while (!isClosed && waiting.length > 0) {
      const thread = idle.pop() ?? (threads.size < size ? start() : undefined);
      const task = thread === undefined ? undefined : waiting.shift();
      if (thread === undefined || task === undefined) return;
      busy.set(thread, task);
      const request: ReadRequest = { log: task.log };
      thread.postMessage(request);
    }
  }

  return {
    read: (log) =>
      new Promise((resolve, reject) => {
        waiting.push({ log, resolve, reject });
        next();
      }),
    close: async () => {
      isClosed = true;
      for (const { log, reject } of waiting.splice(0)) reject(readerFailed(log.path, "the command was stopped"));
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}
