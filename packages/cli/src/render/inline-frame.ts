/** Draws lines over those it drew before, in the middle of the other output. */
export interface InlineFrame {
  readonly draw: (lines: readonly string[]) => void;
  /** Removes what was drawn. */
  readonly clear: () => void;
}

/** Creates a frame at the cursor. No line may be wider than the terminal: a wrapped line would break the redraw. */
export function createInlineFrame(out: (text: string) => void): InlineFrame {
  let drawn = 0;
  const back = (): string => (drawn > 1 ? `\r\u001b[${String(drawn - 1)}A` : "\r");
  return {
    draw: (lines) => {
      // Lines are written over, not cleared first: some terminals keep cleared lines in their history.
      const text = lines.map((line) => `${line}\u001b[K`).join("\n");
      out(`${drawn === 0 ? "" : back()}${text}${lines.length < drawn ? "\u001b[J" : ""}`);
      drawn = lines.length;
    },
    clear: () => {
      if (drawn === 0) return;
      out(`${back()}\u001b[J`);
      drawn = 0;
    },
  };
}
