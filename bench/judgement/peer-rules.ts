import { type OkSource, isFinish, succeeded } from "./host-view.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { isConversation } from "./sets.ts";
import { TurnCounter } from "./turn-counter.ts";

interface PeerCall {
  /** Tool and arguments as text; equal for equal calls. */
  readonly made: string;
  readonly output: string;
  readonly ok: boolean;
}

type PeerRule = (calls: readonly PeerCall[]) => boolean;

const madeOf = ({ made }: PeerCall): string => made;
const madeAndResult = ({ made, output }: PeerCall): string => `${made}\n${output}`;

function areEqual(calls: readonly PeerCall[], count: number, key: (call: PeerCall) => string): boolean {
  return calls.length >= count && new Set(calls.slice(-count).map(key)).size === 1;
}

const threeEqualFailing: PeerRule = (calls) => areEqual(calls, 3, madeOf) && calls.slice(-3).every(({ ok }) => !ok);

function alternates(calls: readonly PeerCall[]): boolean {
  const last = calls.slice(-6);
  const every = (from: number): number => new Set(last.filter((_, i) => i % 2 === from).map(madeAndResult)).size;
  return last.length === 6 && every(0) === 1 && every(1) === 1;
}

/** Loop rules of other tools, written anew from their descriptions. Each one only says "stop here". */
export const PEER_RULES: Readonly<Record<string, PeerRule>> = {
  "3 equal calls": (calls) => areEqual(calls, 3, madeOf),
  "5 equal calls": (calls) => areEqual(calls, 5, madeOf),
  "3 equal failing": threeEqualFailing,
  "OpenHands style": (calls) => areEqual(calls, 4, madeAndResult) || threeEqualFailing(calls) || alternates(calls),
};

const WINDOW = 8;

/** The turn in which each rule fires first. A message of a person clears its window. */
export function playPeers(run: RecordedRun, source: OkSource): Readonly<Record<string, number>> {
  const fired: Record<string, number> = {};
  const counter = new TurnCounter();
  let calls: PeerCall[] = [];
  let hasTask = false;
  for (const event of run.events) {
    counter.add(event);
    if (event.type === "user") {
      if (hasTask && isConversation(run.set)) calls = [];
      hasTask = true;
    } else if (event.type === "tool" && !isFinish(event)) {
      const made = JSON.stringify([event.name, sortKeys(event.args)]);
      calls = [...calls, { made, output: event.output, ok: succeeded(run, event, source) }].slice(-WINDOW);
      for (const [name, rule] of Object.entries(PEER_RULES)) if (rule(calls)) fired[name] ??= counter.turn;
    }
  }
  return fired;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
