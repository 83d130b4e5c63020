/** A move between phases, or a hand-off inside one: then `from` and `to` are equal. */
export interface PhaseMove {
  readonly from: string;
  readonly to: string;
  /** The full message, unchanged. */
  readonly message?: string;
  readonly at: number;
  readonly seq: number;
  /** Id and display name of the mover. */
  readonly agent?: string;
  readonly name?: string;
  readonly reason?: string;
  /** State of the work, for the next agent. */
  readonly summary?: string;
}

/** Summary of the work for the agent that takes over. */
export interface HandOff {
  readonly from: string;
  readonly to: string;
  readonly summary: string;
  readonly by: string | undefined;
  readonly ageMs: number;
}

/** Default maximum age of a hand-off. */
export const HAND_OFF_WINDOW_MS = 30_000;

/**
 * The hand-off of the newest move; undefined if it has no summary or is older than the window. An older move is never
 * used instead, because it describes a state that is gone.
 */
export function handOffOf(
  record: PhaseMove | undefined,
  { now, windowMs = HAND_OFF_WINDOW_MS }: { readonly now: number; readonly windowMs?: number },
): HandOff | undefined {
  if (record?.summary === undefined || record.summary.trim() === "") return undefined;
  const ageMs = now - record.at;
  if (ageMs >= windowMs) return undefined;
  const { from, to, summary, name, agent } = record;
  return { from, to, summary, by: name ?? agent, ageMs };
}

/** Renders a hand-off for a prompt. */
export function renderHandOff({ from, to, summary, by }: HandOff): string {
  const who = by === undefined ? "" : ` by ${by}`;
  const heading =
    from === to
      ? `Handed over${who} inside the phase "${to}":`
      : `Handed over${who} from the phase "${from}" to "${to}":`;
  return `${heading}\n${summary}`;
}
