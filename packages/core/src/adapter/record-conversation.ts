import { NUDGE_TAG } from "../run/agent-texts.ts";
import type { RunPort } from "../run/run.ts";
import type { ModelAnswer } from "./record-answer.ts";
import { shieldRun } from "./shield-run.ts";

/** One message of a request, in no API's form. */
export interface ConversationMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** Its text; empty for a message of calls or images. */
  readonly text: string;
  /** The mark that tells messages without text apart, such as the ids of their calls. */
  readonly id?: string;
}

/** The conversation as the last request of a run had it. */
interface SeenMessages {
  /** The last answer, as the next request shows it. */
  answer?: Pick<ModelAnswer, "text" | "calls">;
  keys: readonly string[];
  /** How often each user message was recorded. */
  readonly users: Map<string, number>;
}

const conversations = new WeakMap<RunPort, SeenMessages>();

/**
 * Records how a conversation changed since the last request: new messages of the user as `message.received`, and a
 * history the host has shortened as `context.compacted`. Call it with the host's own messages before `beforeTurn`.
 * Phasekit's messages, and what was said before the run began, are left out.
 */
export function recordConversation(
  run: RunPort,
  messages: readonly ConversationMessage[],
  {
    partial = false,
  }: {
    /** The provider keeps the conversation: the messages are only those that are new. @default false */
    readonly partial?: boolean;
  } = {},
): void {
  const { attempt, record } = shieldRun(run);
  attempt(
    "recordConversation",
    () => {
      const said = messages.filter(({ role, text }) => role !== "system" && !isOwn(text));
      const keys = said.map(keyOf);
      const before = conversations.get(run);
      const seen: SeenMessages = before ?? { keys, users: earlierUsers(said, keys) };
      conversations.set(run, seen);
      if (partial && before !== undefined) {
        // A request that is sent again brings nothing new.
        if (isPrefix(keys, before.keys)) return;
        seen.users.clear();
      }
      const isShorter = !partial && before !== undefined && isCompacted(before, said, keys);
      const fresh = newUserMessages(said, keys, seen);
      // A host puts its summary in the place of what it dropped: first, and as the user.
      const summary = isShorter && fresh[0] !== undefined && fresh[0] === said[0] ? fresh.shift() : undefined;
      if (isShorter) record({ type: "context.compacted", ...(summary !== undefined && { summary: summary.text }) });
      for (const { text } of fresh) record({ type: "message.received", from: "user", text, inRequest: true });
      seen.keys = keys;
    },
    undefined,
  );
}

/** User messages before the last answer of the model: said before this run, or before this process. */
function earlierUsers(said: readonly ConversationMessage[], keys: readonly string[]): Map<string, number> {
  const last = said.findLastIndex(({ role }) => role === "assistant");
  const users = new Map<string, number>();
  said.slice(0, last + 1).forEach(({ role }, index) => {
    if (role === "user") addOne(users, keys[index]);
  });
  return users;
}

function newUserMessages(
  said: readonly ConversationMessage[],
  keys: readonly string[],
  { users }: SeenMessages,
): ConversationMessage[] {
  const here = new Map<string, number>();
  return said.filter(({ role, text }, index) => {
    const key = keys[index] ?? "";
    if (role !== "user" || text === "" || addOne(here, key) <= (users.get(key) ?? 0)) return false;
    addOne(users, key);
    return true;
  });
}

function addOne(counts: Map<string, number>, key = ""): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/**
 * True if a history lost messages and kept others. A list that only lost its end is a retry; one that shares nothing is
 * another conversation.
 */
function isCompacted(
  { keys: before, answer }: SeenMessages,
  said: readonly ConversationMessage[],
  now: readonly string[],
): boolean {
  if (now.length > before.length || isPrefix(now, before)) return false;
  // With the last answer in it, a whole history would be longer than the one before.
  if (answer !== undefined && said.some((message) => isAnswer(message, answer))) return true;
  const old = new Set(before);
  return now.length < before.length && now.some((key) => old.has(key));
}

function isAnswer({ role, text, id = "" }: ConversationMessage, answer: NonNullable<SeenMessages["answer"]>): boolean {
  const [first] = answer.calls;
  return first === undefined
    ? role === "assistant" && answer.text !== "" && text === answer.text
    : id.includes(first.call);
}

/** Notes the answer to the last request, to recognize it in the next one. */
export function noteAnswer(run: RunPort, { text, calls }: Pick<ModelAnswer, "text" | "calls">): void {
  const seen = conversations.get(run);
  if (seen !== undefined) seen.answer = { text, calls };
}

function isPrefix(keys: readonly string[], of: readonly string[]): boolean {
  return keys.every((key, index) => key === of[index]);
}

function isOwn(text: string): boolean {
  return text.startsWith(`<${NUDGE_TAG}>`);
}

// Hosts send the whole conversation with every request: both ends of a text tell messages apart at a constant cost.
const ENDS = 80;

function keyOf({ role, text, id = "" }: ConversationMessage): string {
  return [role, id, text.length, text.slice(0, ENDS), text.slice(-ENDS)].join("\u0000");
}
