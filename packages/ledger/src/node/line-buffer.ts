/** So much room every flush leaves for its commit line. */
export const COMMIT_ROOM = 256;

/**
 * The lines of a log that may not be on the disk yet, as bytes without gaps: first those that are written, then those
 * that wait. They are kept so that a failed sync can be made good. Positions count from the first line ever added.
 */
export interface LineBuffer {
  /** Adds a line or several; the end of the last one is added as well. */
  readonly add: (lines: string) => void;
  /** Where the next line will begin. */
  readonly end: () => number;
  /** Takes back everything behind a position. */
  readonly cut: (position: number) => void;
  /** Lets go of everything before a position. */
  readonly forget: (position: number) => void;
  /** The bytes between two positions and `COMMIT_ROOM` free ones behind them; good until the next change. */
  readonly flush: (from: number, to: number) => Buffer;
  /** True if these lines are `behind` lines behind a position. */
  readonly includes: (lines: string, place: { readonly position: number; readonly skip: number }) => boolean;
}

const NEWLINE = 10;
/** The bytes that an idle log keeps. */
const SMALL = 16 * 1024;
const LARGE = 4 * 1024 * 1024;
const COUNTED = 256 * 1024;

export function createLineBuffer(): LineBuffer {
  let held = Buffer.allocUnsafeSlow(SMALL);
  /** The position of the first byte of `held`, which part of it is in use. */
  let start = 0;
  let first = 0;
  let length = 0;

  /** Room for more: at the front if half of the buffer is free there, else in a larger one. */
  function makeRoom(room: number): void {
    if (held.length - length >= room) return;
    const needed = 2 * (length - first + room);
    const target = needed <= held.length ? held : Buffer.allocUnsafeSlow(Math.max(needed, 2 * held.length));
    held.copy(target, 0, first, length);
    held = target;
    start += first;
    length -= first;
    first = 0;
  }

  return {
    add: (lines) => {
      // Three bytes is the most that a UTF-16 unit takes; for a long text it pays to count them.
      makeRoom((lines.length < COUNTED ? lines.length * 3 : Buffer.byteLength(lines)) + 1);
      length += held.write(lines, length, "utf8");
      held[length] = NEWLINE;
      length += 1;
    },
    end: () => start + length,
    cut: (position) => {
      length = position - start;
    },
    forget: (position) => {
      first = position - start;
      if (first < length) return;
      start = position;
      first = 0;
      length = 0;
      if (held.length > LARGE) held = Buffer.allocUnsafeSlow(SMALL);
    },
    flush: (from, to) => {
      if (to === start + length) {
        makeRoom(COMMIT_ROOM);
        return held.subarray(from - start, to - start + COMMIT_ROOM);
      }
      // Behind these bytes are others that must stay.
      const copy = Buffer.allocUnsafe(to - from + COMMIT_ROOM);
      held.copy(copy, 0, from - start, to - start);
      return copy;
    },
    includes: (lines, { position, skip }) => {
      let at = position - start;
      for (let line = 0; line < skip; line += 1) {
        const end = held.indexOf(NEWLINE, at);
        // Behind the lines are bytes of other uses of this memory.
        if (end < 0 || end >= length) return false;
        at = end + 1;
      }
      const bytes = Buffer.from(`${lines}\n`);
      return at + bytes.length <= length && held.subarray(at, at + bytes.length).equals(bytes);
    },
  };
}
