/** Cuts text into lines as it comes in. */
export interface LineSplitter {
  readonly push: (chunk: string) => void;
  /** Gives the last line, when nothing ends it. */
  readonly end: () => void;
}

/** Where lines go, in the order of the text. */
export interface LineHandlers {
  readonly line: (line: string) => void;
  /** Called once for a series of empty lines, with their number. */
  readonly blank: (count: number) => void;
  /** A line that was too long; nothing of it is kept. */
  readonly tooLong: () => void;
}

const NEWLINE = 10;

/** A splitter that keeps at most one line of `maxLength` characters. */
export function createLineSplitter({
  maxLength,
  line,
  blank,
  tooLong,
}: LineHandlers & { readonly maxLength: number }): LineSplitter {
  // A list, so that a long line costs its length once and not once per chunk.
  let parts: string[] = [];
  let length = 0;

  function keep(part: string): void {
    if (part === "" || length > maxLength) return;
    length += part.length;
    if (length > maxLength) {
      parts = [];
      tooLong();
    } else parts.push(part);
  }

  function give(): void {
    if (length <= maxLength) {
      if (length === 0) blank(1);
      else line(parts.length === 1 ? (parts[0] ?? "") : parts.join(""));
    }
    parts = [];
    length = 0;
  }

  return {
    push: (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
        keep(chunk.slice(from, end));
        give();
        from = end + 1;
        const first = from;
        while (chunk.charCodeAt(from) === NEWLINE) from += 1;
        if (from > first) blank(from - first);
      }
      keep(chunk.slice(from));
    },
    end: () => {
      if (length > 0) give();
    },
  };
}
