import { alert, type Policy } from "@phasekit/core";
import type { Call } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { aboutPart, isOverview } from "../fingerprint.ts";
import { outputText } from "../result-text.ts";
import { type CallOptions, isSearchName } from "../tool-rules.ts";

/** Options of `nearRepeat`. */
export interface NearRepeatOptions extends CallOptions {
  /** Calls about the same thing with the same answer. @default 4 */
  readonly times?: number;
  /** Searches for the same words in another order, whatever they answer. @default 5 */
  readonly searches?: number;
  /** Overviews of one repository, or plans whose steps stay as far as they were. @default 8 */
  readonly overviews?: number;
}

type Kind = "search" | "overview" | "plan" | "other";

interface NearRepeatState extends DetectorState {
  fingerprint: string;
  /** In a row about the same thing, of those with the same answer, and of those worded anew. */
  count: number;
  same: number;
  different: number;
  kind: Kind;
  tool: string;
  result: string;
}

/**
 * Notices calls that are one call in other words: optional arguments, word order, another spelling of `git status`.
 *
 * Fires: one file read four times with other options and the same content; eight overviews of one repository or folder in a row.
 * Silent: pages of one file (the page is part of what the call is about), calls that are exactly equal.
 * Seen: gemini-cli issue 14892, `git status` and `git diff HEAD` by turns with nothing to review.
 */
export function nearRepeat({ times = 4, searches = 5, overviews = 8, tools }: NearRepeatOptions = {}): Policy {
  const limits = { search: searches, overview: overviews, plan: overviews, other: Infinity } as const;
  return callDetector<NearRepeatState>({
    name: "near-repeat",
    tools,
    initial: () => ({ idle: true, fingerprint: "", count: 1, same: 1, different: 0, kind: "other", tool: "", result: "" }),
    onCall: (state, call, { event, before, answer, near }) => {
      if (call.waits || (near && call.turn === before?.turn)) return;
      if (!near || before === undefined || !counts(call) || !counts(before) || event.meaning.mutates === true) {
        state.count = 1;
        state.same = 1;
        state.different = 0;
        state.idle = true;
        return;
      }
      const result = outputText(event.output);
      state.count += 1;
      state.same = result === outputText(answer) ? state.same + 1 : 1;
      if (call.fingerprint !== before.fingerprint) state.different += 1;
      state.kind = kindOf(call, event.meaning.activity);
      state.idle = false;
      state.fingerprint = call.fingerprint;
      state.tool = call.tool;
      state.result = result;
    },
    report: ({ fingerprint, count, same, different, kind, tool, result }) => {
      if (different === 0 || different < Math.min(count, same) / 2) return undefined;
      const repeats = same >= times && kind !== "plan" ? same : count >= limits[kind] ? count : 0;
      if (repeats === 0) return undefined;
      return alert({ kind: "near-repeat", signature: aboutPart(fingerprint), subject: fingerprint, count: repeats, severity: "notice", evidence: { tool, result: result.slice(0, 160) } });
    },
  });
}

function counts({ failed, polls }: Call): boolean {
  return !failed && !polls;
}

function kindOf({ fingerprint, tool }: Call, activity: string | undefined): Kind {
  if (isOverview(fingerprint)) return "overview";
  if (activity === "search" || isSearchName(tool)) return "search";
  return activity === "plan" ? "plan" : "other";
}
