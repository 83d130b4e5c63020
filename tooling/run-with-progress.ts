import { createProgress, type Progress, type ProgressOptions } from "./progress.ts";

/** The exit code of a command that Ctrl-C ended. */
const INTERRUPTED = 130;
/** Milliseconds that work has to stop its servers and remove its files after Ctrl-C. */
const GRACE = 10_000;

/**
 * Runs the work of a long command. Ctrl-C aborts the signal, the work cleans up, and what it printed stays; a second
 * Ctrl-C ends the process immediately. Returns true if the work was interrupted. An error that the work throws after
 * Ctrl-C is a consequence of it and is dropped.
 */
export async function runWithProgress(
  options: Omit<ProgressOptions, "signal">,
  work: (progress: Progress, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  const graceIsOver = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => (timer = setTimeout(resolve, GRACE)));
  });
  const interrupt = (): void => {
    if (signal.aborted) process.exit(INTERRUPTED);
    // Servers and processes of the work get Ctrl-C too, and connections to them break.
    process.on("uncaughtException", () => undefined).on("unhandledRejection", () => undefined);
    controller.abort(new Error("The command was interrupted."));
  };
  const progress = createProgress({ ...options, signal });
  const giveBack = [takeSignal("SIGINT", interrupt), takeSignal("SIGTERM", interrupt)];
  try {
    await Promise.race([work(progress, signal), graceIsOver]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    for (const restore of giveBack) restore();
    progress.end();
  }
  if (signal.aborted) console.error(`\nInterrupted after ${progress.reached()}.`);
  return signal.aborted;
}

/**
 * Makes a function the only listener to a signal; returns a function that restores the others. Libraries listen too,
 * and that of the embedded PostgreSQL ends the process before its files are removed.
 */
function takeSignal(name: "SIGINT" | "SIGTERM", listener: () => void): () => void {
  const others = process.listeners(name);
  process.removeAllListeners(name).on(name, listener);
  return () => {
    process.off(name, listener);
    for (const other of others) process.on(name, other);
  };
}

/** Ends a command that was interrupted, once everything it printed is written. */
export function exitInterrupted(): void {
  process.stdout.write("", () => process.exit(INTERRUPTED));
}
