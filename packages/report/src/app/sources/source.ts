import type { RunEvent } from "@phasekit/core";
import type { Overview } from "../../views/overview.ts";
import type { RunLine } from "../../views/run-line.ts";

/** A run of the report: in this page, in another file, or on the server. */
export interface KnownRun {
  readonly line: RunLine;
  /** The file of the run, if it is not this one. */
  readonly href?: string;
}

/** Texts that were removed to share the page, by kind. */
export interface RemovedTexts {
  readonly prompts: number;
  readonly answers: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** The index of the page. */
export interface PageIndex {
  readonly title: string;
  readonly live: boolean;
  readonly runs: readonly KnownRun[];
  /** The two runs to compare on the first page. */
  readonly compare?: readonly [string, string];
  /** Texts that were removed to share the page. */
  readonly removed?: RemovedTexts;
}

/** The source of runs: the page itself, or its server. */
export interface Source {
  readonly index: PageIndex;
  readonly overview: (run: string) => Promise<Overview>;
  /** Passes on the events in batches; with a server, until the signal. */
  readonly events: (
    run: string,
    options: { readonly onBatch: (events: readonly RunEvent[]) => void; readonly signal: AbortSignal },
  ) => Promise<void>;
  /** Reloads the list of runs, if it can change. */
  readonly refresh?: () => Promise<readonly KnownRun[]>;
  /** Answers a review, if the server accepts answers. */
  readonly answer?: (
    run: string,
    review: string,
    answer: { readonly verdict: string; readonly feedback: string },
  ) => Promise<void>;
}

/** Yields to the browser between two pieces of work. */
export const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0);
  });

/** Reads the index embedded in the page. */
export function pageIndex(): PageIndex {
  return JSON.parse(document.getElementById("phasekit-index")?.textContent ?? "{}") as PageIndex;
}
