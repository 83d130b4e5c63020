import type { ConversationState, HistoryEntry, PhaseVisit } from "./conversation-state.ts";

/** A visit to a phase with its messages. The last one is current and has no result yet. */
export interface PhaseHistory extends PhaseVisit {
  readonly current: boolean;
  readonly entries: readonly HistoryEntry[];
}

/** Limits of the history in a prompt. */
export interface HistoryOptions {
  /** @default 2000 */
  readonly maxTokens?: number;
  /** @default characters / 4 */
  readonly countTokens?: (text: string) => number;
}

/** The visits of a conversation with their messages, oldest first. */
export function phaseHistory({
  visits,
  entries,
}: Pick<ConversationState, "visits" | "entries">): readonly PhaseHistory[] {
  const byEntry = grouped(entries);
  return visits.map((visit, index) => ({
    ...visit,
    current: index === visits.length - 1,
    entries: byEntry.get(visit.entry) ?? [],
  }));
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
const LEFT_OUT = "(Earlier history is left out.)";

/**
 * Renders the newest history that fits, oldest line first. Lines that do not fit are left out whole, and the text says
 * so. It reads no more lines than fit, so its cost does not grow with the conversation.
 */
export function renderHistory(
  state: Pick<ConversationState, "visits" | "entries">,
  { maxTokens = 2000, countTokens = quarter }: HistoryOptions = {},
): string {
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
  for (let index = state.visits.length - 1; index >= 0 && !cut; index -= 1) {
    const visit = state.visits[index];
    if (visit === undefined) break;
    for (; next >= 0 && state.entries[next]?.entry === visit.entry && !cut; next -= 1) {
      const entry = state.entries[next];
      if (entry !== undefined) cut = !take(renderEntry(entry));
    }
    if (!cut) cut = !take(renderVisit(visit));
  }
  if (cut) lines.push(LEFT_OUT);
  return lines.toReversed().join("\n");
}

function renderVisit({ phase, reason, result, endedAt }: PhaseVisit): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  const now = endedAt === undefined ? ", now" : "";
  const outcome = result === undefined || result === "" ? "" : ` → ${firstLine(result)}`;
  return `[${phase}${now}]${why}${outcome}`;
}

function renderEntry({ who, kind, text }: HistoryEntry): string {
  return kind === "failure" ? `${who} did not finish: ${text}` : `${who}: ${text}`;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
