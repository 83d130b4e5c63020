import { unknownConversation } from "../errors.ts";
import type { Schedule } from "./runtime-defaults.ts";

/** State of a conversation that related conversations see. */
export interface BoardEntry {
  readonly phase: string;
  /** Phases it has been in, including the current one. */
  readonly visited: readonly string[];
  readonly ended: boolean;
}

/** A condition on another conversation: its end, or a visit to a phase. */
export interface WaitFor {
  readonly conversation: string;
  /** @default its end */
  readonly visited?: string;
  /** @default no limit */
  readonly timeoutMs?: number;
}

/** How a wait ended. `deadlock`: the other conversation waits for this one. */
export type WaitEnd = "reached" | "timeout" | "deadlock";

/** Shared state through which related conversations see and wait for each other. */
export interface ConversationBoard {
  readonly post: (conversation: string, state: { readonly phase: string; readonly ended: boolean }) => void;
  /** @throws UNKNOWN_CONVERSATION */
  readonly read: (conversation: string) => BoardEntry;
  /** @throws UNKNOWN_CONVERSATION */
  readonly wait: (waiter: string, what: WaitFor, schedule: Schedule) => Promise<WaitEnd>;
}

interface Wait {
  readonly waiter: string;
  readonly what: WaitFor;
  readonly settle: (end: WaitEnd) => void;
}

/** Creates a board in memory. A wait that would close a cycle resolves to `deadlock` immediately. */
export function createConversationBoard(): ConversationBoard {
  const entries = new Map<string, { phase: string; readonly visited: Set<string>; ended: boolean }>();
  const waits = new Set<Wait>();

  function read(conversation: string): BoardEntry {
    const entry = entries.get(conversation);
    if (entry === undefined) throw unknownConversation(conversation, [...entries.keys()]);
    return { ...entry, visited: [...entry.visited] };
  }

  function isReached({ conversation, visited }: WaitFor): boolean {
    const entry = entries.get(conversation);
    return entry !== undefined && (visited === undefined ? entry.ended : entry.visited.has(visited));
  }

  function post(conversation: string, { phase, ended }: { readonly phase: string; readonly ended: boolean }): void {
    const entry = entries.get(conversation) ?? { phase, visited: new Set(), ended: false };
    entries.set(conversation, entry);
    entry.phase = phase;
    entry.ended = ended;
    entry.visited.add(phase);
    for (const { what, settle } of [...waits]) {
      if (isReached(what)) settle("reached");
      // An ended conversation never reaches the phase.
      else if (ended && what.conversation === conversation) settle("timeout");
    }
  }

  /** True if `from` waits for `target`, directly or through others. */
  function waitsFor(from: string, target: string, passed = new Set<string>()): boolean {
    if (from === target) return true;
    if (passed.has(from)) return false;
    passed.add(from);
    return [...waits].some(({ waiter, what }) => waiter === from && waitsFor(what.conversation, target, passed));
  }

  function wait(waiter: string, what: WaitFor, schedule: Schedule): Promise<WaitEnd> {
    const { ended } = read(what.conversation);
    if (isReached(what)) return Promise.resolve("reached");
    if (ended) return Promise.resolve("timeout");
    if (waitsFor(what.conversation, waiter)) return Promise.resolve("deadlock");
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const entry: Wait = {
        waiter,
        what,
        settle: (end) => {
          waits.delete(entry);
          cancel();
          resolve(end);
        },
      };
      waits.add(entry);
      if (what.timeoutMs !== undefined) cancel = schedule(what.timeoutMs, () => entry.settle("timeout"));
    });
  }

  return { post, read, wait };
}
