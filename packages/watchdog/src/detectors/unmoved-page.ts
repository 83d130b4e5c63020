import { alert, type Policy } from "@phasekit/core";
import { callDetector, type DetectorState } from "../call-detector.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `unmovedPage`. */
export interface UnmovedPageOptions extends CallOptions {
  /** Actions in a row after which everything looks as before. @default 6 */
  readonly times?: number;
}

interface UnmovedPageState extends DetectorState {
  /** What a page, a screen or a form showed last. */
  text: string;
  count: number;
  tool: string;
  /** How often another tool was tried than the time before, or another gesture. */
  switches: number;
  turn: number;
}

const LONG = 80;
const SHORT = 40;
const MAX_PAGE = 20_000;
const MAX_ECHO = 80;
/** What is done to a screen shows the screen again, also with one tool alone. */
const GESTURE = /tap|click|swipe|scroll|press|drag|touch|hover/i;

/**
 * Notices a page that stays as it was, whatever is done to it and with whichever tool.
 *
 * Fires: clicks, keys and scrolling by turns, or taps in one place after the other, and six times the same screen.
 * Silent: any other tool alone (`sameAnswer`'s), short answers, reading, a page that changes.
 * Seen: browser-use pull request 4027, the page fingerprint that came with its loop notes.
 */
export function unmovedPage({ times = 6, tools }: UnmovedPageOptions = {}): Policy {
  return callDetector<UnmovedPageState>({
    name: "unmoved-page",
    tools,
    sees: "doing",
    initial: () => ({ idle: true, text: "", count: 0, tool: "", switches: 0, turn: -1 }),
    onCall: (state, { tool, turn, acts, unknown, failed }, { event: { output } }) => {
      if (!(acts || unknown) || failed || typeof output !== "string" || output.length <= (GESTURE.test(tool) ? SHORT : LONG)) return;
      if (output === state.text || (output.length <= MAX_PAGE && Math.abs(output.length - state.text.length) <= MAX_ECHO && withoutClock(output) === withoutClock(state.text))) {
        if (turn === state.turn) return;
        state.count += 1;
        if (tool !== state.tool || GESTURE.test(tool)) state.switches += 1;
      } else {
        state.text = output;
        state.count = 1;
        state.switches = 0;
      }
      state.tool = tool;
      state.turn = turn;
      state.idle = state.switches === 0;
    },
    report: ({ text, count, switches, tool }) =>
      count >= times && switches >= times / 2
        ? alert({ kind: "same-answer", signature: "page", count, severity: "notice", evidence: { tool, result: text.slice(0, 160), page: true } })
        : undefined,
  });
}

/** A page without what the edge of a screen shows, and without the gesture it says back. */
function withoutClock(text: string): string {
  return text.replace(/^\W*(?:clicked|tapped|pressed|typed|scrolled|hovered|swiped|dragged)[^.\n|]*[.\n|]|^### Ran Playwright code\n```[^`]*```\n|\[ref=\w+\]|\b\d{1,2}:\d{2}\b|\bbattery:? \d+ ?%/gi, "");
}
