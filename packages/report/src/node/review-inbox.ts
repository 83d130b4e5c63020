import type { ReviewVerdict } from "@phasekit/core/adapter";
import { nodeFileSystem } from "@phasekit/ledger/node";
import { randomBytes } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { unsafeInbox } from "../errors.ts";
import { membersIn, parseVerdict } from "./parse-verdict.ts";

export interface ReviewInbox {
  /** Delivers an answer to the waiting reviewer; false if none waits or it already has an answer. */
  readonly answerReview: (run: string, review: string, answer: ReviewVerdict) => Promise<boolean>;
  /** Waits for an answer, from this process or another one. */
  readonly waitForAnswer: (
    run: string,
    review: string,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<ReviewVerdict>;
}

/**
 * Returns the default folder for reviews: private to the user and outside of every workspace. `XDG_STATE_HOME` moves
 * it.
 */
export function reviewFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = env["HOME"] ?? homedir();
  const state = env["XDG_STATE_HOME"];
  if (state !== undefined && state.startsWith("/")) return join(state, "phasekit", "reviews");
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "phasekit", "reviews");
  if (platform === "darwin") return join(home, "Library", "Application Support", "phasekit", "reviews");
  return join(home, ".local", "state", "phasekit", "reviews");
}

/**
 * Creates an inbox that carries answers of people to agents in other processes, through a folder. The waiting side
 * creates a ticket of 128 random bits and accepts only an answer with this ticket: ids of runs and reviews can be
 * guessed.
 *
 * An agent that can list the folder can read the ticket, so keep the folder out of its reach. The default folder is out
 * of reach of a sandboxed agent, but not of an agent with a shell as the same user.
 *
 * @param folder The same on both sides. @default reviewFolder()
 * @example
 * // In the process of the agent: a reviewer that waits for a person.
 * const inbox = createReviewInbox();
 * const reviewer = ({ review }, run) => inbox.waitForAnswer(run.id, review);
 * // In the process of the page: serveRuns({ store, answerReview: inbox.answerReview });
 * @throws UNSAFE_INBOX if other users can write to the folder
 */
export function createReviewInbox(
  folder: string = reviewFolder(),
  {
    pollMs = 250,
  }: {
    /** Poll interval in milliseconds. @default 250 */
    readonly pollMs?: number;
  } = {},
): ReviewInbox {
  const questionFile = (ticket: string): string => join(folder, `${ticket}.question.json`);
  const takenFile = (ticket: string): string => join(folder, `${ticket}.taken.json`);
  const answerFile = (ticket: string): string => join(folder, `${ticket}.answer.json`);

  /** Returns the tickets for this review. After a crash there may be an old one too. */
  async function ticketsFor(run: string, review: string): Promise<readonly string[]> {
    const names = await readdir(folder).catch(() => []);
    const tickets = names.flatMap((name) => QUESTION.exec(name)?.[1] ?? []);
    const found: string[] = [];
    for (const ticket of tickets) {
      const question = membersIn(readSmall(questionFile(ticket)));
      if (question["run"] === run && question["review"] === review) found.push(ticket);
    }
    return found;
  }

  return {
    answerReview: async (run, review, answer) => {
      assertFolder(folder);
      let isDelivered = false;
      for (const ticket of await ticketsFor(run, review)) {
        const part = `${answerFile(ticket)}.${randomBytes(8).toString("hex")}`;
        await writeFile(part, JSON.stringify({ ...answer, ticket }), { flag: "wx", mode: 0o600 });
        // The rename is the decision: of several answers, one finds the question.
        const isMine = await rename(questionFile(ticket), takenFile(ticket)).then(
          () => true,
          () => false,
        );
        await (isMine ? rename(part, answerFile(ticket)) : rm(part, { force: true }));
        isDelivered ||= isMine;
      }
      return isDelivered;
    },
    waitForAnswer: async (run, review, { signal } = {}) => {
      signal?.throwIfAborted();
      assertFolder(folder);
      const ticket = randomBytes(16).toString("hex");
      // Synchronous, so that the review is already in the folder when the caller announces it.
      writeFileSync(questionFile(ticket), JSON.stringify({ v: 1, run, review }), { flag: "wx", mode: 0o600 });
      try {
        for (;;) {
          signal?.throwIfAborted();
          const text = readSmall(answerFile(ticket));
          const answer = membersIn(text)["ticket"] === ticket ? parseVerdict(text) : undefined;
          if (answer !== undefined) return answer;
          await sleep(pollMs, undefined, { ...(signal !== undefined && { signal }) });
        }
      } finally {
        for (const fileOf of [questionFile, takenFile, answerFile]) await rm(fileOf(ticket), { force: true });
      }
    },
  };
}

const files = nodeFileSystem();
/** Longer answers have more feedback than is accepted. */
const MAX_BYTES = 65_536;

/** Reads a plain file; empty if it is missing, a link or too large. Never waits for a pipe. */
function readSmall(path: string): string {
  let file: number | undefined;
  try {
    file = files.openToRead(path);
    const size = files.size(file);
    if (size > MAX_BYTES) return "";
    const bytes = Buffer.alloc(size);
    return bytes.toString("utf8", 0, files.read(file, bytes, 0));
  } catch {
    return "";
  } finally {
    if (file !== undefined) files.close(file);
  }
}

const QUESTION = /^([0-9a-f]{32})\.question\.json$/;

/** Creates a private folder, and refuses one that other users can write to. */
function assertFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const me = process.getuid?.();
  if (me === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== me || (mode & 0o022) !== 0) throw unsafeInbox(folder);
}
