import { safeLine } from "../clean-text.ts";
import type { TerminalScreen } from "../terminal-screen.ts";

// The other screen without cursor; the leaving text returns to what was there before.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[2J";
const LEAVE = "\u001b[?25h\u001b[?1049l";
// Terminals that know these two show everything in between in one go; others ignore them.
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

/** Paints frames over one another. */
export interface FramePainter {
  /** Writes the lines that differ from the frame before. */
  readonly paint: (lines: readonly string[]) => void;
  /** Leaves the screen as it was before. */
  readonly leave: () => void;
}

/** Creates a painter on the whole screen. It clears what was painted after a resize. */
export function createFramePainter(screen: TerminalScreen, out: (text: string) => void): FramePainter {
  let painted: readonly string[] = [];
  let isCleared = false;
  const leave = screen.during(ENTER, LEAVE);
  const stopResize = screen.onResize(() => {
    painted = [];
    isCleared = false;
  });
  return {
    paint: (lines) => {
      const { rows } = screen.size();
      const frame = lines.slice(0, rows).map(safeLine);
      const changes = frame.flatMap((line, row) => (line === painted[row] ? [] : [`${at(row)}${line}\u001b[K`]));
      const rest = frame.length < painted.length ? `${at(frame.length)}\u001b[J` : "";
      const clear = isCleared ? "" : "\u001b[2J";
      if (changes.length > 0 || rest !== "") out(`${BEGIN}${clear}${changes.join("")}${rest}${END}`);
      isCleared = true;
      painted = frame;
    },
    leave: () => {
      stopResize();
      leave();
    },
  };
}

const at = (row: number): string => `\u001b[${String(row + 1)};1H`;
