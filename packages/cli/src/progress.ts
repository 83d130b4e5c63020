import type { Terminal } from "./terminal.ts";

/** Shows the progress of long work. */
export interface Progress {
  readonly step: (done: number) => void;
  readonly end: () => void;
}

const WIDTH = 24;
const EVERY_MS = 80;
/** Shorter work shows nothing. */
const AFTER_MS = 300;

/** Creates a progress bar on stderr; silent if stderr is not a terminal. */
export function createProgress(
  terminal: Terminal,
  {
    total,
    format = String,
    now = Date.now,
  }: {
    readonly total: number;
    /** Formats the numbers. @default as they are */
    readonly format?: (value: number) => string;
    readonly now?: () => number;
  },
): Progress {
  if (!terminal.showsProgress || total === 0) return { step: () => undefined, end: () => undefined };
  const started = now();
  let shown = 0;
  return {
    step: (done) => {
      if (now() - started < AFTER_MS || now() - shown < EVERY_MS) return;
      shown = now();
      const filled = Math.round((WIDTH * Math.min(done, total)) / total);
      const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
      terminal.error(`\r\u001b[2K${bar} ${format(done)}/${format(total)}`);
    },
    end: () => {
      if (shown > 0) terminal.error("\r\u001b[2K");
    },
  };
}
