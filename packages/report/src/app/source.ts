import type { RunEvent } from "@phasekit/core";
import type { Overview } from "../views/overview.ts";
import type { RunLine } from "../views/run-line.ts";

/** A run the page knows of: in this page, in a file beside it, or behind the server. */
export interface KnownRun {
  readonly line: RunLine;
  /** The file that holds it, when this one does not. */
  readonly href?: string;
}

/** What the page was made with. */
export interface PageIndex {
  readonly title: string;
  readonly live: boolean;
  readonly runs: readonly KnownRun[];
  /** The two runs to compare first. */
  readonly compare?: readonly [string, string];
}

/** Where runs come from: the page itself, or the server that sent it. */
export interface Source {
  readonly index: PageIndex;
  readonly overview: (run: string) => Promise<Overview>;
  /** Hands over the events in batches; with a server it goes on until the signal. */
  readonly events: (run: string, options: { readonly onBatch: (events: readonly RunEvent[]) => void; readonly signal: AbortSignal }) => Promise<void>;
  /** Asks again what there is, where that can change. */
  readonly refresh?: () => Promise<readonly KnownRun[]>;
  /** Answers a review, where somebody listens. */
  readonly answer?: (run: string, review: string, answer: { readonly verdict: string; readonly feedback: string }) => Promise<void>;
}

/** Lets the browser draw and listen between two pieces of work. */
export const pause = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 0); });

/** Reads what the page carries. */
export function pageIndex(): PageIndex {
  return JSON.parse(document.getElementById("phasekit-index")?.textContent ?? "{}") as PageIndex;
}
