import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";

/** A terminal for tests: keys are typed as the bytes that a real one sends. */
export interface FakeTty {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Types keys: text, or the escape sequence of a key. */
  readonly type: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Everything that was written so far. */
  readonly written: () => string;
  /** True while keys are read one by one, without echo. */
  readonly isRaw: () => boolean;
}

/** The bytes of keys without text. */
export const keys = {
  up: "\u001b[A",
  down: "\u001b[B",
  enter: "\r",
  escape: "\u001b",
  ctrlC: "\u0003",
  back: "\u007f",
};

/** Creates a terminal of a size. */
export function createFakeTty({ columns = 80, rows = 24 } = {}): FakeTty {
  let raw = false;
  let written = "";
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      raw = mode;
    },
  });
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns,
    rows,
    write: (text: string) => {
      written += text;
      return true;
    },
  });
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    type: (text) => void stdin.write(text),
    resize: (width, height) => {
      Object.assign(stdout, { columns: width, rows: height });
      stdout.emit("resize");
    },
    written: () => written,
    isRaw: () => raw,
  };
}
