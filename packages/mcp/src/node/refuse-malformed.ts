import { isObject, toObject } from "@phasekit/core/adapter";
import { Transform, type TransformCallback } from "node:stream";

/** Members a JSON-RPC message may have. */
const MEMBERS = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

export interface RefuseOptions {
  /** A longer message without a line end passes through unchecked, for the transport to refuse. */
  readonly maxMessageBytes: number;
  /** Receives the answers, one line each. */
  readonly answer: (line: string) => void;
}

/**
 * Passes well-formed JSON-RPC messages through, one per line, and answers the others with an error if their id can be
 * read. The SDK drops them, and the client would wait until its timeout.
 */
export function refuseMalformed({ maxMessageBytes, answer }: RefuseOptions): Transform {
  let parts: Buffer[] = [];
  let length = 0;
  const passOn = (stream: Transform, line: Buffer): void => {
    const refusals = refusalsOf(line.toString("utf8"));
    if (refusals === undefined) stream.push(line);
    else refusals.forEach(answer);
  };
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done: TransformCallback) {
      let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        passOn(this, Buffer.concat([...parts, rest.subarray(0, end + 1)]));
        parts = [];
        length = 0;
        rest = rest.subarray(end + 1);
      }
      parts.push(rest);
      length += rest.length;
      if (length > maxMessageBytes) {
        this.push(Buffer.concat(parts));
        parts = [];
        length = 0;
      }
      done();
    },
  });
}

/** The answers to a line that is not a valid message. Undefined for a valid message and for an empty line. */
function refusalsOf(line: string): readonly string[] | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    // Without an id there is nothing to answer. The transport reports the line, or skips it.
    return undefined;
  }
  if (Array.isArray(message))
    return message.flatMap((entry) => refusal(entry, "Batches are not supported. Send one message per line."));
  const problem = problemOf(message);
  return problem === undefined ? undefined : refusal(message, problem);
}

function problemOf(message: unknown): string | undefined {
  if (!isObject(message)) return "A message must be an object.";
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0") return 'jsonrpc must be "2.0".';
  if (id !== undefined && typeof id !== "string" && !Number.isSafeInteger(id))
    return "id must be a string or an integer.";
  if (method !== undefined && typeof method !== "string") return "method must be a string.";
  if (params !== undefined && !isObject(params)) return "params must be an object.";
  return Object.keys(message).every((key) => MEMBERS.has(key)) ? undefined : "The message has unknown members.";
}

function refusal(message: unknown, problem: string): readonly string[] {
  const { id, method } = toObject(message);
  // A notification or an answer is not answered.
  if (method === undefined || (typeof id !== "string" && typeof id !== "number")) return [];
  return [`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_600, message: problem } })}\n`];
}
