import type { FoundLog } from "../logs/find-logs.ts";
import type { LogSummary } from "./log-index.ts";

/** The data a worker thread starts with. */
export interface ReaderData {
  /** The name of a built-in policy set. */
  readonly preset: string;
}

/** A log to read. */
export interface ReadRequest {
  readonly log: FoundLog;
}

/** An answer of a worker thread: progress in bytes, then the summary or the error. */
export type ReadAnswer =
  | { readonly bytes: number }
  | { readonly summary: LogSummary }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint?: string } };
