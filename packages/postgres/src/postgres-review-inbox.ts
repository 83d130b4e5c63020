import { randomUUID } from "node:crypto";
import { createAnnouncer } from "./announce-changes.ts";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { withPatience } from "./patience.ts";
import { watchChanges } from "./watch-changes.ts";

/** What a person says to a review; the shape that reviewers and the page of `@phasekit/report` use. */
export interface PersonAnswer {
  readonly verdict: "approve" | "needs-changes" | "reject";
  readonly feedback?: string;
}

/** Where a person's answer waits for the agent that asked. */
export interface PostgresReviewInbox {
  /** Puts an answer down for whoever waits for it; a second answer to the same review is refused. */
  readonly answerReview: (run: string, review: string, answer: PersonAnswer) => Promise<boolean>;
  /** Waits until a person has answered, on this machine or another one. */
  readonly waitForAnswer: (run: string, review: string, options?: { readonly signal?: AbortSignal }) => Promise<PersonAnswer>;
}

export interface PostgresReviewInboxOptions extends DatabaseOptions {
  /** How often to look when nothing wakes it, in milliseconds. @default 1000 */
  readonly pollMs?: number;
}

/**
 * Brings a person's answer to an agent on another machine, through the database both use; `phasekit ui --db` puts answers
 * there. Run `migrate` first.
 *
 * @example
 * const inbox = postgresReviewInbox(pool);
 * const reviewer = ({ review }, run) => inbox.waitForAnswer(run.id, review);
 */
export function postgresReviewInbox(pool: Pool, { schema: name, patienceMs = 30_000, pollMs = 1000, notifications = true }: PostgresReviewInboxOptions = {}): PostgresReviewInbox {
  const schema = quotedSchema(name);
  guardPool(pool);
  const changes = { schema: name, topic: "reviews", notifications } as const;
  const announce = createAnnouncer(pool, changes);
  const rows = (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> => withPatience(patienceMs, async () => (await pool.query({ text, values })).rows);

  return {
    answerReview: async (run, review, answer) => {
      const body = JSON.stringify(answer);
      const id = randomUUID();
      const query = { text: `insert into ${schema}.review_answer (run, review, id, body) values ($1, $2, $3, $4) on conflict do nothing returning id`, values: [run, review, id, body] };
      const taken = await withPatience(patienceMs, async (isUncertain) => {
        if ((await pool.query(query)).rowCount === 1) return true;
        // The connection broke before: the answer that is there may be this very one.
        return isUncertain && (await rows(`select from ${schema}.review_answer where run = $1 and review = $2 and id = $3`, run, review, id)).length === 1;
      });
      if (taken) announce();
      return taken;
    },
    waitForAnswer: async (run, review, { signal } = {}) => {
      const watch = watchChanges(pool, changes);
      try {
        for (;;) {
          signal?.throwIfAborted();
          const [row] = await rows(`select body from ${schema}.review_answer where run = $1 and review = $2`, run, review);
          if (row !== undefined) return JSON.parse(String(row["body"])) as PersonAnswer;
          await watch.wait(pollMs, signal === undefined ? {} : { signal });
        }
      } finally {
        watch.close();
      }
    },
  };
}
