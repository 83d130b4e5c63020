import { alert, type Policy } from "@phasekit/core";
import { outputText } from "../call.ts";
import { callDetector } from "../call-detector.ts";
import { aboutPart } from "../fingerprint.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `nearRepeat`. */
export interface NearRepeatOptions extends CallOptions {
  /** Calls about the same thing with the same answer. @default 4 */
  readonly times?: number;
  /** Searches for the same words in another order, whatever they answer. @default 5 */
  readonly searches?: number;
  /** Overviews of one repository, or plans whose steps stay as far as they were. @default 8 */
  readonly overviews?: number;
}

interface NearRepeatState {
  about: string;
  fingerprint: string;
  /** In a row about the same thing, of those with the same answer, and of those worded anew. */
  count: number;
  same: number;
  different: number;
  text: string;
  turn: number;
  kind: "search" | "overview" | "plan" | "other";
  tool: string;
}

/**
 * Notices calls that are one call in other words: optional arguments, word order, another spelling of `git status`.
 *
 * Fires: one file read four times with other options and the same content; eight overviews of one repository in a row.
 * Silent: pages of one file (the page is part of what the call is about), calls that are exactly equal.
 * Seen: qwen-code's overview churn, eight wordings of one look at a repository.
 */
export function nearRepeat({ times = 4, searches = 5, overviews = 8, tools }: NearRepeatOptions = {}): Policy<NearRepeatState> {
  const limits = { search: searches, overview: overviews, plan: overviews, other: Infinity } as const;
  return callDetector<NearRepeatState>({
    name: "near-repeat",
    tools,
    initial: () => ({ about: "", fingerprint: "", count: 0, same: 0, different: 0, text: "", turn: -1, kind: "other", tool: "" }),
    onCall: (state, call, event) => {
      if (call.waits) return;
      const about = aboutPart(call.fingerprint);
      if (about === state.about && call.turn === state.turn) return;
      const text = outputText(event.output);
      if (about !== state.about || call.failed || call.polls || event.meaning.mutates === true) {
        state.count = 1;
        state.same = 1;
        state.different = 0;
      } else {
        state.count += 1;
        state.same = text === state.text ? state.same + 1 : 1;
        if (call.fingerprint !== state.fingerprint) state.different += 1;
      }
      state.about = call.failed || call.polls ? "" : about;
      state.fingerprint = call.fingerprint;
      state.text = text;
      state.turn = call.turn;
      state.tool = call.tool;
      const { activity } = event.meaning;
      state.kind = call.overview ? "overview" : activity === "search" ? "search" : activity === "plan" ? "plan" : "other";
    },
    report: ({ about, fingerprint, count, same, different, kind, tool, text }) => {
      if (different === 0 || different < Math.min(count, same) / 2) return undefined;
      const repeats = same >= times && kind !== "plan" ? same : count >= limits[kind] ? count : 0;
      if (repeats === 0) return undefined;
      return alert({ kind: "near-repeat", signature: about, subject: fingerprint, count: repeats, severity: "notice", evidence: { tool, result: text.slice(0, 160) } });
    },
  });
}
