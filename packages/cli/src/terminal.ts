import picocolors from "picocolors";

/** Where a command writes, and what may be written there. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Columns of the output. */
  readonly columns: number;
  /** The output is a terminal that can be drawn on. */
  readonly isTty: boolean;
  /** Progress may be shown: somebody looks at the error output. */
  readonly showsProgress: boolean;
  /** An agent reads this: say little, decorate nothing. */
  readonly isAgent: boolean;
  readonly colors: Colors;
}

/** Wraps texts in colours, or leaves them as they are. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** The part of a process a terminal is made from. */
export interface TerminalSource {
  readonly stdout: { readonly write: (text: string) => unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { readonly write: (text: string) => unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isAgent: boolean;
}

const DEFAULT_COLUMNS = 80;

/** Reads from a process what its output can do. `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` and `TERM=dumb` are heeded. */
export function createTerminal({ stdout, stderr, env, isAgent }: TerminalSource): Terminal {
  const isTty = stdout.isTTY === true && env["TERM"] !== "dumb";
  const colored = (env["NO_COLOR"] ?? "") === "" && !isAgent && (isTty || (env["FORCE_COLOR"] ?? "0") !== "0");
  const columns = Number(env["COLUMNS"] ?? stdout.columns ?? DEFAULT_COLUMNS);
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    columns: Number.isFinite(columns) && columns >= 40 ? Math.min(columns, 200) : DEFAULT_COLUMNS,
    isTty,
    showsProgress: stderr.isTTY === true && !isAgent && (env["CI"] ?? "") === "",
    isAgent,
    colors: picocolors.createColors(colored),
  };
}
