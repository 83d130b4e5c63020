import type { Terminal } from "./terminal.ts";

/** Shows the progress of long work. */
export interface Progress {
  readonly step: (done: number, label?: string) => void;
  readonly end: () => void;
}

const WIDTH = 24;
const EVERY_MS = 80;

/** Creates a progress bar on stderr; silent if stderr is not a terminal. */
export function createProgress(
  terminal: Terminal,
  { total, now = Date.now }: { readonly total: number; readonly now?: () => number },
): Progress {
  if (!terminal.showsProgress || total === 0) return { step: () => undefined, end: () => undefined };
  let shown = 0;
  return {
    step: (done, label = "") => {
      if (now() - shown < EVERY_MS && done < total) return;
      shown = now();
      const filled = Math.round((WIDTH * Math.min(done, total)) / total);
      const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
      terminal.error(`\r\u001b[2K${bar} ${String(done)}/${String(total)} ${label}`.trimEnd());
    },
    end: () => {
      if (shown > 0) terminal.error("\r\u001b[2K");
    },
  };
}
