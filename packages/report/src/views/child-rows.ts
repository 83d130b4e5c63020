import type { RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { type Tone, words } from "@phasekit/ledger/story";
import { shownText } from "./shown-text.ts";

/** One sub-agent, as the run that started it saw it. */
export interface ChildRow {
  readonly run: string;
  /** The first and the last event about it. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly name: string;
  readonly task?: string;
  /** The end in a word; absent while it works. */
  readonly word?: string;
  readonly tone: Tone;
  readonly phase?: string;
  /** Files that it changed. */
  readonly changed: readonly string[];
  readonly calls: number;
  /** Absent if no answer of it reported its tokens. */
  readonly tokens?: number;
}

/** Returns every sub-agent that a run started, in order. */
export function childRows(events: readonly RunEvent[]): readonly ChildRow[] {
  const rows = new Map<string, ChildRow>();
  for (const event of events) {
    if (event.type !== "child.started" && event.type !== "child.progressed" && event.type !== "child.finished")
      continue;
    const { child, seq } = event;
    const row = rows.get(child) ?? {
      ...{ run: child, seq, lastSeq: seq, name: childName(child), tone: "plain" as const, changed: [], calls: 0 },
    };
    rows.set(child, { ...row, ...changeOf(row, event), lastSeq: seq });
  }
  return [...rows.values()];
}

type ChildEvent = Extract<RunEvent, { readonly type: "child.started" | "child.progressed" | "child.finished" }>;

function changeOf(row: ChildRow, event: ChildEvent): Partial<ChildRow> {
  switch (event.type) {
    case "child.started":
      return event.task === undefined ? {} : { task: words.titleOfPrompt(event.task) ?? shownText(event.task, 120) };
    case "child.progressed": {
      const { inputTokens, outputTokens } = event.usage ?? {};
      const isKnown = inputTokens !== undefined || outputTokens !== undefined;
      return {
        calls: row.calls + (event.toolCalls ?? 0),
        ...(isKnown && { tokens: (row.tokens ?? 0) + (inputTokens ?? 0) + (outputTokens ?? 0) }),
      };
    }
    case "child.finished": {
      const { reason, verified, phase, changed = [] } = event;
      const { word, tone } = words.endWord({ reason });
      return {
        word: verified === true ? `${word}, verified` : word,
        tone,
        changed: changed.slice(0, MAX_FILES).map((path) => shownText(path, 120)),
        ...defined({ phase }),
      };
    }
  }
}

const MAX_FILES = 20;

/** The last part of the id of a sub-agent, whose first part is the run that started it. */
export const childName = (child: string): string => shownText(child.split("/").at(-1) ?? child, 40);
