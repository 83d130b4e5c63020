import type { RunEvent } from "@phasekit/core";
import { waitQuietly } from "../queue/host.ts";
import { post, type PostOptions } from "../queue/post.ts";
import { RefusedForGood } from "../queue/send-queue.ts";
import { otlpParts, type OtlpRequestOptions } from "../trace/otlp-requests.ts";
import { logsToProtobuf, tracesToProtobuf } from "../trace/to-protobuf.ts";

/** Options for `sendOtlp()`. */
export interface SendOtlpOptions extends OtlpRequestOptions, PostOptions {
  /** The base address, to which `/v1/traces` and `/v1/logs` are added: `http://localhost:4318`. */
  readonly endpoint: string;
  /** Attempts per request. @default 3 */
  readonly attempts?: number;
  /** @default setTimeout */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Result of `sendOtlp()`. */
export interface SentOtlp {
  readonly requests: number;
  /** Why log-based events were not taken, if the backend takes none: its spans are there. */
  readonly logsRefused?: string;
}

const RETRY_MS = 500;

/**
 * Sends the log of a run to an OTLP/HTTP endpoint, in protobuf. Rejects if its spans do not arrive. A backend without
 * logs keeps the spans: pass `asSpans` to see the events there too.
 *
 * @example
 * await sendOtlp(await readRun(store, id), { endpoint: "http://localhost:4318" });
 */
export async function sendOtlp(events: Iterable<RunEvent>, options: SendOtlpOptions): Promise<SentOtlp> {
  let requests = 0;
  for (const { traces, logs } of otlpParts(events, options)) {
    try {
      if (traces !== undefined)
        await postWithRetries(addressOf(options.endpoint, "/v1/traces"), tracesToProtobuf(traces), options);
      if (logs !== undefined)
        await postWithRetries(addressOf(options.endpoint, "/v1/logs"), logsToProtobuf(logs), options);
      requests += 1;
    } catch (error) {
      if (logs === undefined || !(error instanceof RefusedForGood)) throw error;
      return { requests, logsRefused: error.message };
    }
  }
  return { requests };
}

async function postWithRetries(url: string, body: Uint8Array<ArrayBuffer>, options: SendOtlpOptions): Promise<void> {
  const { attempts = 3, wait = waitQuietly } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post(url, body, options);
    } catch (error) {
      if (attempt >= attempts || error instanceof RefusedForGood) throw error;
      await wait(RETRY_MS * 2 ** (attempt - 1));
    }
  }
}

/** Endpoints are given with and without the path of the signal: `…/otel` and `…/otel/v1/traces`. */
function addressOf(endpoint: string, path: string): string {
  return `${endpoint.replace(/\/+$/, "").replace(/\/v1\/(?:traces|logs)$/, "")}${path}`;
}
