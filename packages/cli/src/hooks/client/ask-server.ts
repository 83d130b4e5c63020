// Imported by the hook command, which starts for every event: no imports but these.
import { connect } from "node:net";

/** A request to the local server: a hook event, or a question of the CLI. */
export type ServerRequest =
  | {
      readonly op: "hook";
      /** Equal for an event that is sent again from the spool. */
      readonly id?: string;
      readonly agent: string;
      readonly event?: string;
      readonly at: number;
      readonly payload: unknown;
    }
  | { readonly op: "status"; readonly session?: string; readonly cwd?: string }
  | {
      readonly op: "waive";
      readonly gate: string;
      readonly reason: string;
      readonly byAgent?: boolean;
      readonly session?: string;
      readonly cwd?: string;
    }
  | { readonly op: "ping" }
  | { readonly op: "shutdown" };

/** Why the server did not answer: it is not there, or it took too long. */
export class NoServer extends Error {
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent: boolean) {
    super(message);
    this.isAbsent = isAbsent;
  }
}

const GRACE_MS = 5;
const MAX_REPLY = 4 * 1024 * 1024;

/** Sends a request as JSON text over the socket and resolves with the reply as text. Rejects with `NoServer`. */
export function askServer(socketPath: string, request: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let reply = "";
    const giveUp = (): void => {
      socket.destroy();
      reject(new NoServer("The server did not answer in time.", false));
    };
    // A second timer fires after pending input was read: the reply may be here, and this process was held up.
    const timer = setTimeout(() => setTimeout(giveUp, GRACE_MS), timeoutMs);
    socket.setEncoding("utf8");
    // JSON has no NUL, so it ends the request. Closing our half instead would cost the reply under Bun.
    socket.on("connect", () => socket.write(`${request}\0`));
    socket.on("data", (chunk: string) => {
      reply += chunk;
      if (reply.length > MAX_REPLY) socket.destroy(new Error("The reply is too large."));
    });
    socket.on("end", () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const isAbsent = error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "EPIPE";
      reject(new NoServer(error.message, isAbsent));
    });
  });
}
