/** Cuts text into lines as it comes in. */
export interface LineSplitter {
  /** The lines that end in this chunk. */
  readonly push: (chunk: string) => readonly string[];
  /** The last line, when nothing ends it. */
  readonly end: () => readonly string[];
  /** Lines that were too long since this was last asked; nothing of them is kept. */
  readonly takeTooLong: () => number;
}

/** A splitter that keeps at most one line of `maxLength` characters. */
export function createLineSplitter({ maxLength }: { readonly maxLength: number }): LineSplitter {
  // A list, so that a long line costs its length once and not once per chunk.
  let parts: string[] = [];
  let length = 0;
  let dropping = false;
  let tooLong = 0;

  function keep(part: string): void {
    if (dropping || part === "") return;
    length += part.length;
    if (length > maxLength) {
      dropping = true;
      parts = [];
      tooLong += 1;
    } else parts.push(part);
  }

  function take(): readonly string[] {
    const line = parts.length === 1 ? (parts[0] ?? "") : parts.join("");
    const dropped = dropping;
    parts = [];
    length = 0;
    dropping = false;
    return dropped ? [] : [line];
  }

  return {
    push: (chunk) => {
      const lines: string[] = [];
      let from = 0;
      for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
        keep(chunk.slice(from, end));
        lines.push(...take());
        from = end + 1;
      }
      keep(chunk.slice(from));
      return lines;
    },
    end: () => (length === 0 ? [] : take()),
    takeTooLong: () => {
      const count = tooLong;
      tooLong = 0;
      return count;
    },
  };
}
