import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createAnnouncer } from "./announce-changes.ts";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { shortSecret } from "./errors.ts";
import { withPatience } from "./patience.ts";
import { watchChanges } from "./watch-changes.ts";

/** A person's answer to a review; the shape that reviewers and the page of `@phasekit/report` use. */
export interface PersonAnswer {
  readonly verdict: "approve" | "needs-changes" | "reject";
  readonly feedback?: string;
}

/** Where a person's answer waits for the agent that asked. */
export interface PostgresReviewInbox {
  /** Puts an answer down for whoever waits for it; a second answer to the same review is refused. */
  readonly answerReview: (run: string, review: string, answer: PersonAnswer) => Promise<boolean>;
  /** Waits until a person has answered, on this machine or another one. */
  readonly waitForAnswer: (
    run: string,
    review: string,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<PersonAnswer>;
}

export interface PostgresReviewInboxOptions extends DatabaseOptions {
  /** How often to look when nothing wakes it, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /**
   * Signs answers, and takes only signed ones: the same text beside the page and beside whoever waits, at least 16
   * characters, and not in the environment of the agent. Without it, everyone who may write to the table can answer.
   * @default none
   */
  readonly secret?: string;
}

const MIN_SECRET = 16;

/**
 * Brings a person's answer to an agent on another machine, through the database both use; `phasekit ui --db` puts
 * answers there. Run `migrate` first. The ids of runs and reviews can be guessed, so an agent that holds the address
 * of the database could answer its own review; with `secret` it cannot.
 *
 * @example
 * const inbox = createPostgresReviewInbox(pool);
 * const reviewer = ({ review }, run) => inbox.waitForAnswer(run.id, review);
 * @throws INVALID_OPTION when the secret has fewer than 16 characters
 */
export function createPostgresReviewInbox(pool: Pool, options?: PostgresReviewInboxOptions): PostgresReviewInbox {
  return new PostgresInbox(pool, options);
}

class PostgresInbox implements PostgresReviewInbox {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  readonly #pollMs: number;
  readonly #secret: string | undefined;
  readonly #schema: string;
  readonly #sign: (run: string, review: string, answer: PersonAnswer) => PersonAnswer & { readonly mac?: string };
  readonly #read: (run: string, review: string, text: string) => PersonAnswer | undefined;
  readonly #changes: {
    readonly schema: string | undefined;
    readonly topic: "reviews";
    readonly notifications: boolean;
  };
  readonly #announce: () => void;

  constructor(
    pool: Pool,
    { schema: name, patienceMs = 30_000, pollMs = 1000, notifications = true, secret }: PostgresReviewInboxOptions = {},
  ) {
    this.#pool = pool;
    this.#patienceMs = patienceMs;
    this.#pollMs = pollMs;
    this.#secret = secret;
    this.#schema = quotedSchema(name);
    if (secret !== undefined && secret.length < MIN_SECRET) throw shortSecret(MIN_SECRET);
    const { sign, read } = createSigner(secret);
    this.#sign = sign;
    this.#read = read;
    guardPool(pool);
    this.#changes = { schema: name, topic: "reviews", notifications } as const;
    this.#announce = createAnnouncer(pool, this.#changes);
  }

  readonly answerReview: PostgresReviewInbox["answerReview"] = async (run, review, answer) => {
    const body = JSON.stringify(this.#sign(run, review, answer));
    const id = randomUUID();
    const query = {
      text: `insert into ${this.#schema}.review_answer (run, review, id, body) values ($1, $2, $3, $4)
               on conflict do nothing returning id`,
      values: [run, review, id, body],
    };
    const taken = await withPatience(this.#patienceMs, async (isUncertain) => {
      if ((await this.#pool.query(query)).rowCount === 1) return true;
      // The connection broke before: the answer that is there may be this very one.
      return (
        isUncertain &&
        (
          await this.#rows(
            `select from ${this.#schema}.review_answer where run = $1 and review = $2 and id = $3`,
            run,
            review,
            id,
          )
        ).length === 1
      );
    });
    const isPlaced = taken || (await this.#replaceForged(run, review, { id, body }));
    if (isPlaced) this.#announce();
    return isPlaced;
  };

  readonly waitForAnswer: PostgresReviewInbox["waitForAnswer"] = async (run, review, { signal } = {}) => {
    const watch = watchChanges(this.#pool, this.#changes);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const [row] = await this.#rows(
          `select body from ${this.#schema}.review_answer where run = $1 and review = $2`,
          run,
          review,
        );
        const answer = row === undefined ? undefined : this.#read(run, review, String(row["body"]));
        if (answer !== undefined) return answer;
        await watch.wait(this.#pollMs, signal === undefined ? {} : { signal });
      }
    } finally {
      watch.close();
    }
  };

  #rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    return withPatience(this.#patienceMs, async () => (await this.#pool.query({ text, values })).rows);
  }

  /** An answer without a signature must not keep the signed one out. */
  async #replaceForged(
    run: string,
    review: string,
    { id, body }: { readonly id: string; readonly body: string },
  ): Promise<boolean> {
    if (this.#secret === undefined) return false;
    const [row] = await this.#rows(
      `select body from ${this.#schema}.review_answer where run = $1 and review = $2`,
      run,
      review,
    );
    if (row === undefined) return false;
    const known = String(row["body"]);
    if (this.#read(run, review, known) !== undefined) return false;
    const replaced = await this.#rows(
      `update ${this.#schema}.review_answer set id = $3, body = $4
         where run = $1 and review = $2 and body = $5 returning id`,
      run,
      review,
      id,
      body,
      known,
    );
    return replaced.length === 1;
  }
}

interface Signer {
  readonly sign: (run: string, review: string, answer: PersonAnswer) => PersonAnswer & { readonly mac?: string };
  /** The answer in a text; `undefined` when its signature is missing or wrong. */
  readonly read: (run: string, review: string, text: string) => PersonAnswer | undefined;
}

function createSigner(secret: string | undefined): Signer {
  if (secret === undefined)
    return {
      sign: (_run, _review, answer) => answer,
      read: (_run, _review, text) => {
        const { mac: _mac, ...answer } = JSON.parse(text) as PersonAnswer & { readonly mac?: string };
        return answer;
      },
    };
  const macOf = (run: string, review: string, { verdict, feedback = "" }: PersonAnswer): Buffer =>
    createHmac("sha256", secret)
      .update(JSON.stringify([run, review, verdict, feedback]))
      .digest();
  return {
    sign: (run, review, answer) => ({ ...answer, mac: macOf(run, review, answer).toString("hex") }),
    read: (run, review, text) => {
      const { mac, ...answer } = membersIn(text);
      if (typeof mac !== "string" || typeof answer.verdict !== "string") return undefined;
      const [given, wanted] = [Buffer.from(mac, "hex"), macOf(run, review, answer as PersonAnswer)];
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? (answer as PersonAnswer) : undefined;
    },
  };
}

function membersIn(text: string): Partial<PersonAnswer> & { readonly mac?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
