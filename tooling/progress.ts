/** Where a long command is. */
export interface ProgressState {
  /** The name of what is counted, such as "rows". */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  readonly seconds: number;
  /** The task that runs now. */
  readonly task?: string;
  /** How far this task is. */
  readonly part?: { readonly done: number; readonly of: number };
}

/** The outputs of a command. */
export interface ProgressTerminal {
  /** Writes results. */
  readonly out: (text: string) => void;
  /** Writes progress. */
  readonly err: (text: string) => void;
  /** True if a line on `err` can be drawn again. */
  readonly isLive: boolean;
  /** Columns of `err`; `undefined` if it is not a terminal. */
  readonly columns: () => number | undefined;
}

/** Shows where a long command is, and prints its results as they are ready. */
export interface Progress {
  /** Shows the task that runs now. Without a terminal, this prints a line. */
  readonly now: (task: string) => void;
  /** Shows how far the task is. */
  readonly at: (done: number, of: number) => void;
  /**
   * Shows how far the task is, and lets Ctrl-C be noticed: code that never waits calls it between two steps. Throws the
   * reason of the signal if the command was interrupted.
   */
  readonly pause: (done: number, of: number) => Promise<void>;
  /** Prints a result above the progress line. */
  readonly print: (text: string) => void;
  /** Counts results as done. */
  readonly count: (results?: number) => void;
  /** Removes the progress line. */
  readonly end: () => void;
  /** The count of done results, such as "3 of 14 rows". */
  readonly reached: () => string;
}

/** Options for `createProgress()`. */
export interface ProgressOptions {
  readonly total: number;
  readonly unit: string;
  /** @default never aborted */
  readonly signal?: AbortSignal;
  /** @default the outputs of this process */
  readonly terminal?: ProgressTerminal;
  /** Milliseconds. @default performance.now */
  readonly clock?: () => number;
}

const ERASE_LINE = "\r\u001b[2K";
/** Milliseconds between two drawings of a line, and between two printed lines of one task. */
const DRAW_EVERY = 100;
const PRINT_EVERY = 30_000;

/**
 * Creates the progress of a command: one line that is drawn again on a terminal, plain lines elsewhere. Both go to
 * stderr, results go to stdout.
 *
 * @example
 *   const progress = createProgress({ total: 2, unit: "rows" });
 *   progress.now("core");
 *   progress.print("core  1.2 ×");
 *   progress.count();
 *   progress.end();
 */
export function createProgress({
  total,
  unit,
  signal,
  terminal = processTerminal(),
  clock = () => performance.now(),
}: ProgressOptions): Progress {
  const startedAt = clock();
  let state: Omit<ProgressState, "seconds"> = { unit, done: 0, total };
  let shownAt = -Infinity;
  let isDrawn = false;
  const erase = (): void => {
    if (isDrawn) terminal.err(ERASE_LINE);
    isDrawn = false;
  };
  const show = (): void => {
    const now = clock();
    const line = renderProgress({ ...state, seconds: (now - startedAt) / 1000 });
    shownAt = now;
    if (!terminal.isLive) return terminal.err(`${line}\n`);
    terminal.err(`${ERASE_LINE}${cutLine(line, terminal.columns())}`);
    isDrawn = true;
  };
  const at = (done: number, of: number): void => {
    state = { ...state, part: { done, of } };
    if (clock() - shownAt >= (terminal.isLive ? DRAW_EVERY : PRINT_EVERY)) show();
  };
  return {
    now: (task) => {
      state = { unit, total, done: state.done, task };
      show();
    },
    at,
    pause: async (done, of) => {
      at(done, of);
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
    print: (text) => {
      const wasDrawn = isDrawn;
      erase();
      terminal.out(`${text}\n`);
      if (wasDrawn) show();
    },
    count: (results = 1) => {
      state = { ...state, done: state.done + results };
      if (isDrawn) show();
    },
    end: erase,
    reached: () => `${String(state.done)} of ${String(total)} ${unit}`,
  };
}

/** One line that says what is done, what is left, and what runs now. */
export function renderProgress({ unit, done, total, seconds, task, part }: ProgressState): string {
  const counts = `${String(done)}/${String(total)} ${unit}, ${String(total - done)} left, ${renderSeconds(seconds)}`;
  const shown = part === undefined ? "" : ` (${part.done.toLocaleString("en")} of ${part.of.toLocaleString("en")})`;
  return `[${counts}]${task === undefined ? "" : ` ${task}${shown}`}`;
}

function renderSeconds(seconds: number): string {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}

/** A longer line would wrap, and only its last part would be erased. */
function cutLine(line: string, columns: number | undefined): string {
  return columns === undefined || columns === 0 || line.length < columns
    ? line
    : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

/** The outputs of this process. Results go to `out`, which is stderr for commands that print data on stdout. */
export function processTerminal({
  out = process.stdout,
}: { readonly out?: NodeJS.WriteStream } = {}): ProgressTerminal {
  const { stderr, env } = process;
  return {
    out: (text) => void out.write(text),
    err: (text) => void stderr.write(text),
    isLive: stderr.isTTY && env["TERM"] !== "dumb" && (env["CI"] ?? "") === "",
    columns: () => stderr.columns,
  };
}
