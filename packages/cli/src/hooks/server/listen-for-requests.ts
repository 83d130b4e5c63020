import { type LooseObject, numberIn } from "@phasekit/core/adapter";
import { createHmac } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { ACK, END, HELLO } from "../client/exchange.ts";
import { parseObject } from "../client/parse-object.ts";

/** An answer to a request. */
export interface Reply {
  readonly text: string;
  /** Called if the sender did not read it: it had left, or leaves without a receipt. */
  readonly onLost?: () => void;
}

/** Options for `listenForRequests()`. */
export interface ListenOptions {
  /** The socket or pipe. What is left of an earlier one is removed. */
  readonly address: string;
  /** Proves to a caller who asks for it that this is the server. */
  readonly key: string;
  /** The most bytes that may follow the head of a request. */
  readonly maxBody: number;
  /** Answers one request. Must not reject. */
  readonly handle: (head: LooseObject, body: Buffer) => Promise<Reply>;
}

/** A socket that takes requests. */
export interface RequestListener {
  /** Ends open connections and takes no more requests. */
  readonly close: () => Promise<void>;
}

const MAX_HEAD = 64 * 1024;
const NEWLINE = 10;

/**
 * Takes requests at an address: a line of JSON, then as many bytes as it says. Every request is acknowledged as soon as
 * its first line is here, so that its sender knows a busy server from one that hangs.
 */
export async function listenForRequests(options: ListenOptions): Promise<RequestListener> {
  const { address } = options;
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    takeRequest(socket, options);
  });
  const isFile = process.platform !== "win32";
  if (isFile) rmSync(address, { force: true, recursive: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
  });
  if (isFile) chmodSync(address, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function takeRequest(socket: Socket, { key, maxBody, handle }: ListenOptions): void {
  /** The bytes since the last line. */
  let chunks: Buffer[] = [];
  let size = 0;
  let head: LooseObject | undefined;
  let bytes = 0;
  let isAnswered = false;
  let onLost: Reply["onLost"];

  const joined = (): Buffer => {
    const [first = Buffer.alloc(0)] = chunks;
    const all = chunks.length === 1 ? first : Buffer.concat(chunks);
    chunks = [all];
    return all;
  };
  const give = (text: string): void => void socket.write(text);
  const refuse = (): void => void socket.destroy();
  const isOver = (): boolean => socket.destroyed || socket.readableEnded;

  /** Senders of earlier versions give no receipt, and do not say how long they wait. */
  function answer({ text, onLost: lost }: Reply): void {
    if (numberIn(head?.["until"]) !== undefined) onLost = lost;
    if (isOver()) loseAnswer();
    socket.end(`${text}${END}`);
  }

  function loseAnswer(): void {
    onLost?.();
    onLost = undefined;
  }

  function takeLine(line: string): void {
    if (line.startsWith(HELLO)) {
      give(`${ACK}${createHmac("sha256", key).update(line.slice(HELLO.length)).digest("hex")}\n`);
      return;
    }
    head = parseObject(line);
    bytes = numberIn(head["bytes"]) ?? 0;
    if (bytes < 0 || bytes > maxBody) refuse();
    else give(ACK);
  }

  function takeLines(): void {
    while (head === undefined && chunks.at(-1)?.includes(NEWLINE) === true) {
      const all = joined();
      const end = all.indexOf(NEWLINE);
      takeLine(all.toString("utf8", 0, end));
      chunks = [all.subarray(end + 1)];
      size = all.length - end - 1;
    }
  }

  socket.on("error", refuse);
  socket.on("data", (chunk: Buffer) => {
    if (isAnswered) {
      if (chunk.includes(ACK)) onLost = undefined;
      return;
    }
    chunks.push(chunk);
    size += chunk.length;
    takeLines();
    if (head === undefined) {
      if (size > MAX_HEAD) refuse();
    } else if (size >= bytes && !socket.destroyed) {
      isAnswered = true;
      const body = joined().subarray(0, bytes);
      chunks = [];
      void handle(head, body).then(answer);
    }
  });
  // A sender that leaves in the middle of a request has nothing to be answered.
  socket.on("end", () => {
    if (!isAnswered) refuse();
  });
  socket.on("close", loseAnswer);
}
