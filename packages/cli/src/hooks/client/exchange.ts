// Imported by the hook command, which starts for every event: no imports but these.
import { connect, type Socket } from "node:net";

/** Why the server did not answer: it is not there, or it took too long. */
export class NoServer extends Error {
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent: boolean) {
    super(message);
    this.isAbsent = isAbsent;
  }
}

/** One request: its head, and the bytes that follow it. */
export interface Request {
  /** Plain members; `bytes` is added. */
  readonly head: object;
  readonly body?: Buffer;
}

/** Options for `exchange()`. */
export interface ExchangeOptions {
  /** The socket or pipe. */
  readonly address: string;
  readonly limitMs: number;
  /** A server that has not even noticed the request by then hangs. @default `limitMs` */
  readonly noticeMs?: number;
  /** Called once if the server has not even noticed the request after a while: its process does not run. */
  readonly onSilence?: () => void;
  /** Reads the key that the listener has to know; the request is sent only after it proved that. */
  readonly readKey?: () => string;
}

/** The server has read the head of a request; its sender, the reply. */
export const ACK = "\u0006";
/** Asks the listener to prove that it knows the key. */
export const HELLO = "\u0005";
/** Ends a reply; JSON has no such character. Closing half of a connection instead would cost the reply under Bun. */
export const END = "\0";

const GRACE_MS = 5;
const SILENT_MS = 400;
const MAX_REPLY = 4 * 1024 * 1024;

/**
 * Sends a request and resolves with the reply, as text. Rejects with `NoServer`, also for a reply that was cut off:
 * its server was killed.
 */
export function exchange(
  request: Request,
  { address, limitMs, noticeMs = limitMs, onSilence, readKey }: ExchangeOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    let reply = "";
    let isOver = false;
    const finish = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      clearTimeout(unnoticed);
      clearTimeout(silence);
      settle();
      // Later, because the hook command has left by then, and its end closes the socket sooner.
      setImmediate(() => socket.destroy());
    };
    const fail = (message: string, isAbsent: boolean): void => finish(() => reject(new NoServer(message, isAbsent)));
    // A second timer fires after pending input was read: the reply may be here, and this process was held up.
    const late = (): unknown => setTimeout(() => fail("The server did not answer in time.", false), GRACE_MS);
    const timer = setTimeout(late, limitMs);
    const unnoticed = noticeMs < limitMs ? setTimeout(late, noticeMs) : undefined;
    const silence = onSilence === undefined ? undefined : setTimeout(onSilence, SILENT_MS);
    let proof = readKey === undefined ? undefined : startProof(socket, readKey);
    socket.setEncoding("utf8");
    socket.on("connect", () => {
      if (proof === undefined) send(socket, request);
    });
    socket.on("data", (chunk: string) => {
      reply += chunk;
      if (reply.length > MAX_REPLY) return fail("The reply is too large.", false);
      clearTimeout(silence);
      clearTimeout(unnoticed);
      if (proof !== undefined) {
        const line = reply.indexOf("\n");
        if (line < 0) return;
        if (!proof(reply.slice(1, line))) return fail("The listener is not our server.", false);
        proof = undefined;
        reply = reply.slice(line + 1);
        send(socket, request);
      }
      if (!reply.endsWith(END)) return;
      socket.write(ACK);
      finish(() => resolve(reply.slice(ACK.length, -END.length)));
    });
    socket.on("end", () => fail("The server left before it answered.", true));
    socket.on("error", (error: NodeJS.ErrnoException) => fail(error.message, ABSENT.has(error.code ?? "")));
  });
}

const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "EPIPE", "ECONNRESET"]);

function send(socket: Socket, { head, body }: Request): void {
  const line = `${JSON.stringify({ ...head, bytes: body?.length ?? 0 })}\n`;
  socket.write(body === undefined ? line : Buffer.concat([Buffer.from(line), body]));
}

/** Asks for a proof of the key; the answer is checked by the function that is returned. */
function startProof(socket: Socket, readKey: () => string): (answer: string) => boolean {
  // Loading it costs several milliseconds, so only callers that need a proof do.
  const { createHmac, randomBytes, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const nonce = randomBytes(16).toString("hex");
  socket.on("connect", () => socket.write(`${HELLO}${nonce}\n`));
  return (answer) => {
    try {
      const expected = Buffer.from(createHmac("sha256", readKey()).update(nonce).digest("hex"));
      const given = Buffer.from(answer);
      return given.length === expected.length && timingSafeEqual(given, expected);
    } catch {
      // Without a key there was no server.
      return false;
    }
  };
}
