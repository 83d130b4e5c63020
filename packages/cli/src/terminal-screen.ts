import process from "node:process";
import { emitKeypressEvents, type Interface } from "node:readline";

/** One key press. */
export interface Key {
  /** Such as `up`, `return` or `escape`; the letter of a letter. */
  readonly name: string;
  /** The typed text; empty for keys without text. */
  readonly text: string;
  readonly ctrl: boolean;
}

/** A terminal with a person in front of it: its size, and the keys that are pressed. */
export interface TerminalScreen {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back after each resize. Returns the function that ends it. */
  readonly onResize: (listener: () => void) => () => void;
  /** Reads keys without echoing them. Returns the function that ends it. */
  readonly onKey: (listener: (key: Key) => void) => () => void;
  /** Writes the first text now. Writes the second when the returned function is called, or when the process ends. */
  readonly during: (enter: string, leave: string) => () => void;
}

/** The streams of a screen. */
export interface ScreenSource {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: {
    readonly write: (text: string) => unknown;
    readonly columns?: number;
    readonly rows?: number;
    readonly on?: (event: "resize", listener: () => void) => unknown;
    readonly off?: (event: "resize", listener: () => void) => unknown;
  };
}

/** An arrow key starts with Esc too; a lone Esc is followed by a pause. */
const ESCAPE_MS = 50;

/** Creates the screen of a terminal. It is restored when the process exits or crashes. */
export function createTerminalScreen({ stdin, stdout }: ScreenSource): TerminalScreen {
  return {
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    onResize: (listener) => {
      stdout.on?.("resize", listener);
      return () => void stdout.off?.("resize", listener);
    },
    onKey: (listener) => {
      const press = (text: string | undefined, { name = "", ctrl = false, sequence = "" }: PressedKey): void => {
        const typed = text ?? sequence;
        listener({ name, ctrl, text: ctrl || /^\p{Cc}/u.test(typed) ? "" : typed });
      };
      // The decoder reads only this member of an interface.
      emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
      stdin.on("keypress", press);
      stdin.setRawMode(true);
      stdin.resume();
      return untilExit(() => {
        stdin.off("keypress", press);
        stdin.setRawMode(false);
        stdin.pause();
      });
    },
    during: (enter, leave) => {
      stdout.write(enter);
      return untilExit(() => void stdout.write(leave));
    },
  };
}

interface PressedKey {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly sequence?: string | undefined;
}

/** Returns a function that undoes something once; the end of the process calls it too. */
function untilExit(undo: () => void): () => void {
  const once = (): void => {
    process.off("exit", once);
    process.off("uncaughtExceptionMonitor", once);
    undo();
  };
  process.on("exit", once);
  // Before Node prints the error: otherwise it would vanish with the screen.
  process.on("uncaughtExceptionMonitor", once);
  return once;
}
