import type { StallEntry } from "./stall-state.ts";

/** The pattern in the last calls of a stalled run. A pattern only names a stall; it never causes an alert. */
export interface StallPattern {
  readonly name: "repeat" | "cycle" | "waiting" | "unmoved" | "failing" | "same-answer" | "no-gain";
  /** How many of the last calls show it. */
  readonly count: number;
  /** The newest call that shows it. */
  readonly call: StallEntry;
  /** The calls of one round, for a cycle; the calls looked at, for failures and for no gain. */
  readonly round?: readonly StallEntry[];
}

const MAX_PERIOD = 4;
const LITTLE = 0.2;

/** Names a stall from its last calls; the first pattern that fits wins. `undefined` if the calls show none. */
export function namePattern(recent: readonly StallEntry[]): StallPattern | undefined {
  const call = recent.at(-1);
  if (call === undefined) return undefined;
  const count = recent.filter(({ gain }) => gain < LITTLE).length;
  return (
    nameWaiting(recent, call) ??
    nameRepeat(recent, call) ??
    nameCycle(recent, call) ??
    nameUnmoved(recent, call) ??
    nameFailing(recent, call) ??
    nameSameAnswer(recent, call) ??
    // Without a call that brings little new, the stall is in the texts between the calls.
    (count > 0 ? { name: "no-gain", count, call, round: recent } : undefined)
  );
}

type Namer = (recent: readonly StallEntry[], call: StallEntry) => StallPattern | undefined;

/** The agent asks about something that is not ready. */
const nameWaiting: Namer = (recent, call) => {
  const count = countLast(recent, ({ waiting }) => waiting);
  return count >= 2 ? { name: "waiting", count, call } : undefined;
};

/** One call again and again. */
const nameRepeat: Namer = (recent, call) => {
  const count = countLast(recent, ({ about }) => about === call.about);
  return count >= 2 ? { name: "repeat", count, call } : undefined;
};

/** Two to four calls in turn, at least two rounds of them. */
const nameCycle: Namer = (recent, call) => {
  for (let period = 2; period <= MAX_PERIOD; period += 1) {
    const matching = countMatching(recent, period);
    if (matching < period) continue;
    return { name: "cycle", count: Math.floor(matching / period) + 1, call, round: recent.slice(-period) };
  }
  return undefined;
};

/** One check keeps failing in the same way, whatever comes in between. */
const nameUnmoved: Namer = (recent) => {
  const call = recent.findLast(({ failed }) => failed);
  if (call === undefined) return undefined;
  const again = recent.filter(({ about }) => about === call.about).slice(1);
  const same = again.length > 1 && again.every(({ failed, gain }) => failed && gain < LITTLE);
  return same ? { name: "unmoved", count: again.length + 1, call } : undefined;
};

/** Most of the last calls fail. */
const nameFailing: Namer = (recent, call) => {
  const last = recent.slice(-6);
  const failing = last.filter(({ failed }) => failed);
  const count = failing.length;
  return count >= 3 ? { name: "failing", count, call: failing.at(-1) ?? call, round: last } : undefined;
};

/** Different calls with one answer. */
const nameSameAnswer: Namer = (recent, call) => {
  const count = countLast(recent, ({ answer }) => answer === call.answer);
  return count >= 2 && call.answer !== "" ? { name: "same-answer", count, call } : undefined;
};

/** How many entries from the end on pass a test. */
function countLast(recent: readonly StallEntry[], test: (entry: StallEntry) => boolean): number {
  return recent.length - 1 - recent.findLastIndex((entry) => !test(entry));
}

/** How many entries from the end on equal the one a period before. */
function countMatching(recent: readonly StallEntry[], period: number): number {
  let count = 0;
  for (let index = recent.length - 1; index >= period; index -= 1) {
    if (recent[index]?.about !== recent[index - period]?.about) break;
    count += 1;
  }
  return count;
}
