import type { RunPort } from "@phasekit/core";
import { resolve } from "node:path";
import process from "node:process";
import { type StoredRun, storeRun } from "../store-run.ts";
import type { KeepOptions } from "../keep-options.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import { assertPath } from "./run-folder.ts";

const stores = new Map<string, FileStore>();
const kept = new Set<{ readonly run: RunPort; readonly stored: StoredRun; readonly store: FileStore }>();
let isListening = false;
/** A server that ends none of its runs must not fill the memory. A run that is let go stays open in its log. */
const MAX_KEPT = 1000;

/**
 * Keeps a run in a folder without further calls: stores it as it happens, ends it when the process ends or gets a
 * signal to stop, writes what is left, and prints one line that leads to `phasekit why`.
 *
 * @example
 * keepRun(run);
 * @throws INVALID_OPTION
 */
export function keepRun(
  run: RunPort,
  { folder = ".phasekit/runs", quiet = Boolean(process.env["PHASEKIT_QUIET"]), onError = warn }: KeepOptions = {},
): StoredRun {
  const path = resolve(assertPath(folder));
  const store = stores.get(path) ?? createFileStore(path, { onError });
  stores.set(path, store);
  const stored = storeRun(run, store, { onError });
  const entry = { run, stored, store };
  kept.add(entry);
  for (const oldest of kept) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  listen();
  const unsubscribe = run.subscribe((step) => {
    if (step.at(-1)?.type !== "run.finished") return;
    unsubscribe();
    if (!quiet) process.stderr.write(`${closingLine(run)}\n`);
    void stored.flush().then(() => kept.delete(entry));
  });
  return stored;
}

function closingLine({ id, outcome }: RunPort): string {
  const isNeeded = outcome?.evidence.grade !== "not-needed";
  const proof = outcome?.verified === true ? "verified" : isNeeded ? "not verified" : "no check needed";
  return `phasekit: ${outcome?.reason ?? "ended"}, ${proof}. Why: npx phasekit why ${id}`;
}

/** One pair of listeners for all runs: a process warns about more than ten. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  // The event loop is empty: the host's loop has returned, so the run ends with what it knows.
  process.on("beforeExit", () => {
    for (const { run } of kept) endRun(run, {});
  });
  // `process.exit()` or an uncaught error: no time is left to wait.
  process.on("exit", (code) => {
    endNow(`The process ended with exit code ${code}.`);
  });
  for (const signal of SIGNALS) process.on(signal, endOnSignal);
}

/** The signals that end a process, such as a server that is replaced. Node sends no "exit" for them. */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** A host with a handler of its own decides when its process ends; "exit" follows then. */
function endOnSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endNow(`The process got ${signal}.`);
  // Without our handler the signal does what it would have done.
  for (const each of SIGNALS) process.off(each, endOnSignal);
  process.kill(process.pid, signal);
}

function endNow(summary: string): void {
  for (const { run, stored, store } of kept) {
    endRun(run, { reason: "interrupted", summary });
    stored.handOver();
    store.flushSync();
  }
}

function endRun(run: RunPort, ending: Parameters<RunPort["end"]>[0]): void {
  try {
    if (run.view.status !== "ended") run.end(ending);
  } catch {
    // The host must not notice.
  }
}

function warn(problem: unknown): void {
  const { message, code } = problem as { readonly message?: unknown; readonly code?: unknown };
  process.emitWarning(`A run is not stored: ${String(message ?? problem)}`, {
    type: "PhasekitWarning",
    ...(typeof code === "string" && { code }),
  });
}
