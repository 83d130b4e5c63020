import type { ConversationState, HistoryEntry, PhaseStay } from "./conversation-state.ts";

/** One stay in a phase with what was said in it. The last one is current and has no result yet. */
export interface PhaseHistory extends PhaseStay {
  readonly current: boolean;
  readonly entries: readonly HistoryEntry[];
}

/** How much history a prompt may carry. */
export interface HistoryOptions {
  /** @default 2000 */
  readonly maxTokens?: number;
  /** @default a quarter of the characters */
  readonly countTokens?: (text: string) => number;
}

/** The stays of a conversation, the oldest first, each with what was said in it. */
export function phaseHistory({ stays, entries }: Pick<ConversationState, "stays" | "entries">): readonly PhaseHistory[] {
  const byEntry = grouped(entries);
  return stays.map((stay, index) => ({ ...stay, current: index === stays.length - 1, entries: byEntry.get(stay.entry) ?? [] }));
}

function grouped(entries: readonly HistoryEntry[]): ReadonlyMap<string, readonly HistoryEntry[]> {
  const groups = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.entry);
    if (group === undefined) groups.set(entry.entry, [entry]);
    else group.push(entry);
  }
  return groups;
}

const quarter = (text: string): number => Math.ceil(text.length / 4);
const LEFT_OUT = "(What came before is left out.)";

/**
 * History for a prompt: as much as fits, the newest first in line, the oldest first on the page. What does not fit is
 * left out whole, and the text says so. It looks at no more lines than fit, so its cost does not grow with the
 * conversation.
 */
export function renderHistory(state: Pick<ConversationState, "stays" | "entries">, { maxTokens = 2000, countTokens = quarter }: HistoryOptions = {}): string {
  const lines: string[] = [];
  let left = maxTokens - countTokens(LEFT_OUT);
  let cut = false;
  const take = (line: string): boolean => {
    const cost = countTokens(`${line}\n`);
    if (cost > left) return false;
    left -= cost;
    lines.push(line);
    return true;
  };
  let next = state.entries.length - 1;
  for (let index = state.stays.length - 1; index >= 0 && !cut; index -= 1) {
    const stay = state.stays[index];
    if (stay === undefined) break;
    for (; next >= 0 && state.entries[next]?.entry === stay.entry && !cut; next -= 1) {
      const entry = state.entries[next];
      if (entry !== undefined) cut = !take(renderEntry(entry));
    }
    if (!cut) cut = !take(renderStay(stay));
  }
  if (cut) lines.push(LEFT_OUT);
  return lines.toReversed().join("\n");
}

function renderStay({ phase, reason, result, endedAt }: PhaseStay): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `[${phase}${endedAt === undefined ? ", now" : ""}]${why}${result === undefined || result === "" ? "" : ` → ${firstLine(result)}`}`;
}

function renderEntry({ who, kind, text }: HistoryEntry): string {
  return kind === "failure" ? `${who} did not finish: ${text}` : `${who}: ${text}`;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
