import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseReviewAnswer, type ReviewAnswer } from "./review-answer.ts";

export interface ReviewInbox {
  /** Puts an answer down for whoever waits for it; a second answer to the same review is refused. */
  readonly answerReview: (run: string, review: string, answer: ReviewAnswer) => Promise<boolean>;
  /** Waits until a person has answered, in this process or another one. */
  readonly waitForAnswer: (run: string, review: string, options?: { readonly signal?: AbortSignal }) => Promise<ReviewAnswer>;
}

/**
 * A folder through which a person's answer reaches an agent in another process: one file for each review.
 *
 * @example
 * // Beside the agent: a reviewer that waits for a person.
 * const inbox = reviewInbox(".phasekit/reviews");
 * const reviewer = ({ review }, run) => inbox.waitForAnswer(run.id, review);
 * // Beside the page: serveRuns({ store, answerReview: inbox.answerReview });
 */
export function reviewInbox(folder: string, { pollMs = 250 }: {
  /** How often to look. @default 250 */
  readonly pollMs?: number;
} = {}): ReviewInbox {
  // Ids come from logs; a hash of them is always a file name, and never a path.
  const fileOf = (run: string, review: string): string => join(folder, `${createHash("sha256").update(JSON.stringify([run, review])).digest("hex").slice(0, 32)}.json`);
  return {
    answerReview: async (run, review, answer) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(run, review);
      try {
        await writeFile(`${file}.lock`, "", { flag: "wx", mode: 0o600 });
      } catch {
        return false;
      }
      // Whole or not at all: the reader never sees half an answer.
      await writeFile(`${file}.part`, JSON.stringify(answer), { mode: 0o600 });
      await rename(`${file}.part`, file);
      return true;
    },
    waitForAnswer: async (run, review, { signal } = {}) => {
      const file = fileOf(run, review);
      for (;;) {
        signal?.throwIfAborted();
        const answer = parseReviewAnswer(await readFile(file, "utf8").catch(() => ""));
        if (answer !== undefined) {
          await rm(file, { force: true });
          return answer;
        }
        await sleep(pollMs, undefined, { ...(signal !== undefined && { signal }) });
      }
    },
  };
}
