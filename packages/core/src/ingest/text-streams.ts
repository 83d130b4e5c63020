import type { Policy, TextFinding, TextWatcher } from "../policies/policy.ts";
import type { IngestFault } from "../events/run-event.ts";
import { setBounded } from "../text/bounded.ts";
import { messageOf } from "../text/error-shape.ts";
import { readMembers } from "../text/json.ts";
import { refusePromise } from "../run/settle-quietly.ts";

// Watchers get pieces of this length, so what they find does not depend on how the text was cut. Providers send far
// shorter ones; putting them together costs little, cutting out a piece costs more.
const PIECE = 256;
const MAX_FINDINGS = 8;
const MAX_STREAMS = 16;
/** The stream of the model's reasoning; `model.reasoned` ends it. */
const REASONING = "reasoning";

interface Stream {
  rest: string;
  stop: boolean;
  watchers: readonly { readonly policy: string; readonly watcher: TextWatcher }[];
  readonly found: ({ readonly policy: string } & Omit<TextFinding, "stop">)[];
  readonly failures: IngestFault[];
}

/** Feeds streamed text to the policies that watch it, message by message. */
export function createTextStreams(
  watching: readonly Policy[],
  {
    mayStop,
    isDisabled,
  }: { readonly mayStop: (policy: string) => boolean; readonly isDisabled: (policy: string) => boolean },
): {
  readonly push: (delta: string, options?: { readonly stream?: string }) => { readonly stop: boolean };
  readonly close: (message: unknown) => unknown;
  /** True while a message is streamed. */
  readonly isOpen: () => boolean;
} {
  const streams = new Map<string, Stream>();

  function open(key: string): Stream {
    const existing = streams.get(key);
    if (existing !== undefined) return existing;
    const watchers: { readonly policy: string; readonly watcher: TextWatcher }[] = [];
    const stream: Stream = { rest: "", stop: false, watchers, found: [], failures: [] };
    for (const { name, watchText } of watching) {
      if (isDisabled(name)) continue;
      try {
        if (watchText === undefined) continue;
        const watcher = watchText();
        refusePromise(watcher, "a watcher is made");
        watchers.push({ policy: name, watcher });
      } catch (error) {
        stream.failures.push({ name, during: "text", message: messageOf(error, Infinity) });
      }
    }
    setBounded(streams, [key, stream], MAX_STREAMS);
    return stream;
  }

  function feed(stream: Stream, piece: string): void {
    for (const { policy, watcher } of stream.watchers) {
      try {
        const finding = watcher.push(piece);
        if (finding === undefined) continue;
        refusePromise(finding, "a watcher answers");
        const { stop = false, ...found } = readFinding(finding);
        if (stream.found.length < MAX_FINDINGS) stream.found.push({ policy, ...found });
        if (stop && mayStop(policy)) stream.stop = true;
      } catch (error) {
        stream.failures.push({ name: policy, during: "text", message: messageOf(error, Infinity) });
        stream.watchers = stream.watchers.filter((other) => other.watcher !== watcher);
      }
    }
  }

  function feedPieces(stream: Stream): void {
    const text = stream.rest;
    let from = 0;
    for (; text.length - from >= PIECE; from += PIECE) feed(stream, text.slice(from, from + PIECE));
    stream.rest = text.slice(from);
  }

  function push(delta: string, options: { readonly stream?: string } = {}): { readonly stop: boolean } {
    if (watching.length === 0 || typeof delta !== "string") return { stop: false };
    const { stream: key } = readMembers(options);
    const stream = open(typeof key === "string" ? key : "");
    stream.rest += delta;
    if (stream.rest.length >= PIECE) feedPieces(stream);
    return { stop: stream.stop };
  }

  /** Ends a message: what was found in it is stored with it. */
  function close(message: unknown): unknown {
    const { agent, type } = readMembers(message);
    const key = type === "model.reasoned" ? REASONING : typeof agent === "string" && streams.has(agent) ? agent : "";
    const stream = streams.get(key);
    if (stream === undefined) return message;
    streams.delete(key);
    if (stream.rest !== "") feed(stream, stream.rest);
    const { found, failures } = stream;
    return {
      ...(message as object),
      ...(found.length > 0 && { found }),
      ...(failures.length > 0 && { faults: failures }),
    };
  }

  return { push, close, isOpen: () => streams.size > 0 };
}

/** A finding with members that can be stored; a policy in plain JavaScript may return anything. */
function readFinding({ kind, signature, count, stop }: TextFinding): TextFinding {
  if (typeof kind !== "string" || kind === "") throw new TypeError("a finding needs a kind");
  return {
    kind,
    ...(typeof signature === "string" && { signature }),
    ...(typeof count === "number" && count >= 0 && count < Infinity && { count }),
    stop: stop === true,
  };
}
