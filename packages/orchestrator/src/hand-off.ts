/** A move or a hand-off inside a phase, in full. `from` and `to` are equal when nobody left the phase. */
export interface PhaseRecord {
  readonly from: string;
  readonly to: string;
  /** The whole context, as it was written. */
  readonly message?: string;
  readonly at: number;
  readonly seq: number;
  /** Who moved: an id, and a name for people. */
  readonly agent?: string;
  readonly name?: string;
  readonly reason?: string;
  /** The state of the work, for whoever takes over. */
  readonly summary?: string;
}

/** What the next agent is told about the work it takes over. */
export interface HandOff {
  readonly from: string;
  readonly to: string;
  readonly summary: string;
  readonly by: string | undefined;
  readonly ageMs: number;
}

/** How old a record may be to be handed over. */
export const HAND_OFF_WINDOW_MS = 30_000;

/** Whether a record is a hand-off inside one phase, not a move. */
export function isHandOff({ from, to }: Pick<PhaseRecord, "from" | "to">): boolean {
  return from === to;
}

/**
 * What the newest record hands over: nothing when it has no summary or is as old as the window. An older record is
 * never taken instead, since it describes a state that is gone.
 */
export function handOffOf(record: PhaseRecord | undefined, { now, windowMs = HAND_OFF_WINDOW_MS }: { readonly now: number; readonly windowMs?: number }): HandOff | undefined {
  if (record?.summary === undefined || record.summary.trim() === "") return undefined;
  const ageMs = now - record.at;
  if (ageMs >= windowMs) return undefined;
  const { from, to, summary, name, agent } = record;
  return { from, to, summary, by: name ?? agent, ageMs };
}

/** A hand-off as a piece of a prompt. */
export function renderHandOff({ from, to, summary, by }: HandOff): string {
  const who = by === undefined ? "" : ` by ${by}`;
  const heading = from === to ? `Handed over${who} inside the phase "${to}":` : `Handed over${who} from the phase "${from}" to "${to}":`;
  return `${heading}\n${summary}`;
}
