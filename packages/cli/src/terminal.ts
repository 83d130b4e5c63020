import picocolors from "picocolors";
import { createTerminalScreen, type ScreenSource, type TerminalScreen } from "./terminal-screen.ts";

/** The output of a command and its capabilities. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Width in columns. */
  readonly columns: number;
  /** True if stdout is a terminal that supports cursor movement. */
  readonly isTty: boolean;
  /** True if stderr is a terminal, so progress may be shown. */
  readonly showsProgress: boolean;
  /** True if an agent reads the output: short and without decoration. */
  readonly isAgent: boolean;
  readonly colors: Colors;
  /** The screen and keys of the person at the terminal. Absent in pipes, in CI and for agents. */
  readonly screen?: TerminalScreen;
  /** Asks the person at the terminal; true for yes. Absent without a person at a terminal. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Asks the person at the terminal for one of several names; the first is proposed. Absent as `ask` is. */
  readonly choose?: (question: string, names: readonly [string, ...string[]]) => Promise<string>;
}

/** Colors text, or returns it unchanged. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** The parts of a process that a terminal needs. */
export interface TerminalSource {
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout: ScreenSource["stdout"] & { readonly isTTY?: boolean };
  readonly stderr: { readonly write: (text: string) => unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isAgent: boolean;
  /** The command line: `--no-color` turns colors off. */
  readonly argv?: readonly string[];
}

const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 24;

/** Creates a terminal from a process. Respects `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` and `TERM=dumb`. */
export function createTerminal({ stdin, stdout, stderr, env, isAgent, argv = [] }: TerminalSource): Terminal {
  const isTty = stdout.isTTY === true && env["TERM"] !== "dumb";
  const colored =
    (env["NO_COLOR"] ?? "") === "" &&
    !argv.includes("--no-color") &&
    !isAgent &&
    (isTty || (env["FORCE_COLOR"] ?? "0") !== "0");
  const columns = Number(env["COLUMNS"] ?? stdout.columns ?? DEFAULT_COLUMNS);
  const isPerson = stdin?.isTTY === true && stdout.isTTY === true && !isAgent;
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    columns: Number.isFinite(columns) && columns >= MIN_COLUMNS ? Math.min(columns, 200) : DEFAULT_COLUMNS,
    isTty,
    showsProgress: stderr.isTTY === true && !isAgent && (env["CI"] ?? "") === "",
    isAgent,
    colors: picocolors.createColors(colored),
    ...(isPerson && {
      ask: async (question) => /^y(?:es)?$/i.test(await lineOn(stdin, { stdout, prompt: `${question} [y/N] ` })),
      choose: async (question, names) => {
        const prompt = `${question} ${names.join(", ")} [${names[0]}] `;
        for (;;) {
          const line = (await lineOn(stdin, { stdout, prompt })).toLowerCase();
          if (line === "" || names.includes(line)) return line || names[0];
        }
      },
    }),
    ...(isPerson && isTty && (env["CI"] ?? "") === "" && { screen: createTerminalScreen({ stdin, stdout }) }),
  };
}

/** The line a person types after the prompt; empty at the end of the input. */
async function lineOn(
  input: NodeJS.ReadStream,
  { stdout, prompt }: { readonly stdout: TerminalSource["stdout"]; readonly prompt: string },
): Promise<string> {
  // Imported here because most commands ask nothing.
  const { createInterface } = await import("node:readline");
  stdout.write(prompt);
  if (input.readableEnded) return "";
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line.trim();
    return "";
  } finally {
    lines.close();
  }
}
