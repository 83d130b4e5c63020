import type { RunEvent } from "@phasekit/core";
import { hashText } from "@phasekit/core/adapter";

/** Gives calls their ids: some agents have none, so a result belongs to the oldest open call with the same input. */
export interface CallMatcher {
  /** A call starts; its id. */
  readonly start: (call: { readonly call?: string; readonly tool: string; readonly input?: unknown }) => string;
  /** A call ends; the id it started with, or a new one if its start was not seen. Started means: in this process. */
  readonly end: (call: { readonly call?: string; readonly tool: string; readonly input?: unknown }) => {
    readonly call: string;
    readonly started: boolean;
  };
  /** The id of the open call that a result belongs to. */
  readonly findOpen: (call: {
    readonly call?: string;
    readonly tool: string;
    readonly input?: unknown;
  }) => string | undefined;
  /** True if the call was started and has no result. */
  readonly isOpen: (call: string) => boolean;
  /** True if this call's start or end was seen. */
  readonly knows: (call: string) => boolean;
  /** Open calls that may still get a result. A call another one has overtaken twice is given up. */
  readonly waiting: () => number;
  readonly clear: () => void;
  /** Continues after the calls of an earlier process: its ids are not given again, and its open calls may still end. */
  readonly continueFrom: (events: readonly RunEvent[]) => void;
}

const MAX_OPEN = 256;
const MAX_KNOWN = 1024;

export function createCallMatcher(): CallMatcher {
  /** Open calls in order of their start, with the number of results that arrived since. */
  const open = new Map<string, { readonly key: string; overtaken: number }>();
  const seen = new Set<string>();
  /** Open calls of an earlier process. */
  const earlier = new Set<string>();
  let next = 1;

  function remember(call: string): void {
    seen.add(call);
    if (seen.size > MAX_KNOWN) seen.delete(seen.values().next().value ?? "");
  }

  const oldestOpen = (key: string): string | undefined => [...open].find(([, waiting]) => waiting.key === key)?.[0];

  return {
    start: ({ call, tool, input }) => {
      const id = call ?? `hook-${String(next++)}`;
      open.set(id, { key: keyOf(tool, input), overtaken: 0 });
      remember(id);
      if (open.size > MAX_OPEN) open.delete(open.keys().next().value ?? "");
      return id;
    },
    end: ({ call, tool, input }) => {
      const id = call ?? oldestOpen(keyOf(tool, input));
      const wasOpen = id !== undefined && open.delete(id);
      const started = wasOpen && !earlier.delete(id);
      for (const waiting of open.values()) waiting.overtaken += 1;
      const known = id ?? `hook-${String(next++)}`;
      remember(known);
      return { call: known, started };
    },
    findOpen: ({ call, tool, input }) =>
      call === undefined ? oldestOpen(keyOf(tool, input)) : open.has(call) ? call : undefined,
    isOpen: (call) => open.has(call),
    knows: (call) => seen.has(call),
    waiting: () => [...open.values()].filter(({ overtaken }) => overtaken < 2).length,
    clear: () => open.clear(),
    continueFrom: (events) => {
      for (const event of events) {
        if (event.type !== "tool.requested" && event.type !== "tool.finished") continue;
        const { type, call = "", tool, input } = event;
        next = Math.max(next, Number(/^hook-(\d+)$/.exec(call)?.[1] ?? 0) + 1);
        remember(call);
        // Its result comes to a run that was read back, so it brings its input again.
        if (type === "tool.requested") earlier.add(call);
        else earlier.delete(call);
        if (type === "tool.requested") open.set(call, { key: keyOf(tool, input), overtaken: 0 });
        else open.delete(call);
      }
    },
  };
}

function keyOf(tool: string, input: unknown): string {
  return `${tool} ${hashText(stableText(input))}`;
}

/** JSON text that does not depend on the order of members. */
export function stableText(value: unknown): string {
  // In a list, since undefined alone has no JSON text.
  return JSON.stringify([value], (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
