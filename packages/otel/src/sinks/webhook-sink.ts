import { systemClock } from "@phasekit/core/adapter";
import { noSecret } from "../errors.ts";
import { host } from "../queue/host.ts";
import { post, type PostOptions } from "../queue/post.ts";
import type { RunSink } from "./run-sink.ts";

/** Options for `webhookSink()`. */
export interface WebhookOptions extends PostOptions {
  readonly url: string;
  /** The shared secret, at least 16 characters; `whsec_` and Base64 as other senders write it, or any text. */
  readonly secret: string;
  /** @default the clock of the machine */
  readonly clock?: () => number;
}

/**
 * A sink that posts batches as JSON and signs them as Standard Webhooks does, so that receivers in any language have a
 * library for it: `webhook-id`, `webhook-timestamp` and `webhook-signature` over id, time and body.
 *
 * @example
 * sendRun(run, webhookSink({ url: "https://example.com/hooks/phasekit", secret: process.env.WEBHOOK_SECRET ?? "" }));
 * @throws NO_SECRET
 */
export function webhookSink({ url, secret, clock = systemClock, ...options }: WebhookOptions): RunSink {
  const bytes = secretBytes(secret);
  return {
    send: async ({ id, run, events }) => {
      const body = JSON.stringify({ type: "phasekit.run.events", id, run, events });
      const timestamp = String(Math.floor(clock() / 1000));
      await post(url, body, {
        ...options,
        headers: {
          ...options.headers,
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${await signatureOf(bytes, `${id}.${timestamp}.${body}`)}`,
        },
      });
    },
  };
}

/** A request to a receiver of webhooks. */
export interface ReceivedWebhook {
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it arrived, before anything parsed it. */
  readonly body: string;
}

/** Options for `isWebhookSigned()`. */
export interface SignatureOptions {
  readonly secret: string;
  /** Seconds a request may be old: a copy of it is worthless later. @default 300 */
  readonly toleranceSeconds?: number;
  /** @default the clock of the machine */
  readonly clock?: () => number;
}

/**
 * True if a request was signed with the secret, a short while ago.
 *
 * @throws NO_SECRET
 */
export async function isWebhookSigned(
  { headers, body }: ReceivedWebhook,
  { secret, toleranceSeconds = 300, clock = systemClock }: SignatureOptions,
): Promise<boolean> {
  const bytes = secretBytes(secret);
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const age = Math.abs(clock() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) return false;
  const wanted = await signatureOf(bytes, `${id}.${timestamp}.${body}`);
  // During a change of the secret a sender may sign with both.
  return (headers["webhook-signature"] ?? "").split(" ").some((given) => isSameText(given, `v1,${wanted}`));
}

async function signatureOf(secret: Uint8Array, text: string): Promise<string> {
  const subtle = host.crypto?.subtle;
  if (subtle === undefined) throw new Error("This runtime has no Web Crypto.");
  const key = await subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return host.btoa(
    String.fromCharCode(...new Uint8Array(await subtle.sign("HMAC", key, new host.TextEncoder().encode(text)))),
  );
}

const PREFIX = "whsec_";
const MIN_SECRET = 16;

function secretBytes(secret: string): Uint8Array {
  if (secret.length < MIN_SECRET) throw noSecret();
  return secret.startsWith(PREFIX)
    ? Uint8Array.from(host.atob(secret.slice(PREFIX.length)), (letter) => letter.charCodeAt(0))
    : new host.TextEncoder().encode(secret);
}

/** Takes as long for a text that differs at its beginning as for one that differs at its end. */
function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < other.length; index += 1) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
