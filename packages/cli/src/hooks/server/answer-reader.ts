import type { AnswerLog, ReportedAnswer } from "@phasekit/hooks";
import { readFilePart, sizeOfFile } from "./read-file-part.ts";
import { parseObject } from "../client/parse-object.ts";

/** Reads the model's answers from an agent's own log. */
export interface AnswerReader {
  /**
   * The answers since the last call; none if the log cannot be read. An answer that more lines may be about is kept
   * until the next one, or until `all` is asked for.
   */
  readonly read: (path: string, options?: ReadOptions) => Promise<readonly ReportedAnswer[]>;
}

/** Options for `AnswerReader.read()`. */
interface ReadOptions {
  /** Also an answer that more lines may be about. @default false */
  readonly all?: boolean;
  /** Wait longer for the disk: no later event may bring the rest. @default false */
  readonly isLast?: boolean;
}

export interface AnswerReaderOptions {
  /** Where to begin: a session that was joined late counts from there on. */
  readonly from: "start" | "end";
  /** The number of answers at the start of the log that are known. Of a log that is too long, all are. @default 0 */
  readonly skip?: number;
  /** The log is that of a sub-agent. @default false */
  readonly isSubagent?: boolean;
  /**
   * How long one call waits for the disk, because the agent waits meanwhile. What a slow disk has not brought by then
   * comes with the next call. @default 150
   */
  readonly limitMs?: number;
}

const MAX_READ = 16 * 1024 * 1024;
/** How much longer the last read may take. */
const LAST_TIMES = 4;

/** Creates a reader that follows one log. */
export function createAnswerReader(
  log: AnswerLog,
  { from, skip = 0, isSubagent = false, limitMs = 150 }: AnswerReaderOptions,
): AnswerReader {
  let file = "";
  let offset = 0;
  let rest = "";
  const answersIn = createAnswerQueue(log, { skip, isSubagent });
  let reading: Promise<readonly string[]> | undefined;

  async function newLines(path: string): Promise<readonly string[]> {
    const size = await sizeOfFile(path).catch((error: unknown) => {
      // A log that is not there yet is ours from its first line.
      if (file === "" && (error as NodeJS.ErrnoException).code === "ENOENT") file = path;
      throw error;
    });
    if (path !== file) {
      const isKnown = from === "end" || file !== "" || (skip > 0 && size > MAX_READ);
      offset = isKnown ? size : 0;
      file = path;
      rest = "";
    }
    // A log that was cut or replaced: what it holds now was counted, or is not ours.
    if (size < offset) offset = size;
    if (size === offset) return [];
    // A burst beyond this is skipped: usage is worth less than the agent's time.
    const start = Math.max(offset, size - MAX_READ);
    if (start > offset) rest = "";
    const text = rest + (await readFilePart(path, start, size - start));
    offset = size;
    const lines = text.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_READ) rest = "";
    return lines;
  }

  return {
    read: async (path, { all = false, isLast = false } = {}) => {
      let timer: NodeJS.Timeout | undefined;
      try {
        const limit = new Promise<undefined>((resolve) => {
          timer = setTimeout(() => resolve(undefined), isLast ? LAST_TIMES * limitMs : limitMs);
        });
        // One that is not done yet is waited for instead of a second one.
        reading ??= newLines(path);
        const lines = await Promise.race([reading, limit]);
        if (lines !== undefined) reading = undefined;
        return answersIn(lines ?? [], all);
      } catch {
        // There is no log yet, or it is not for us to read.
        reading = undefined;
        return answersIn([], all);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Takes the answers out of lines, in order; one that more lines may be about is held until the next one. */
function createAnswerQueue(
  log: AnswerLog,
  { skip, isSubagent }: { readonly skip: number; readonly isSubagent: boolean },
): (lines: readonly string[], all: boolean) => readonly ReportedAnswer[] {
  let held: ReportedAnswer | undefined;
  let lastId: string | undefined;
  let skipped = 0;
  return (lines, all) => {
    const answers: ReportedAnswer[] = [];
    const release = (): void => {
      if (held !== undefined) {
        skipped += 1;
        if (skipped > skip) answers.push(held);
      }
      held = undefined;
    };
    for (const line of lines) {
      const answer = line.includes(log.mark) ? log.read(parseObject(line), { isSubagent }) : undefined;
      if (answer === undefined) continue;
      if (answer.id !== undefined && answer.id === lastId) {
        // Counted already if it is no longer held.
        if (held !== undefined) held = answer;
        continue;
      }
      release();
      lastId = answer.id;
      held = answer;
      if (answer.id === undefined) release();
    }
    if (all) release();
    return answers;
  };
}
