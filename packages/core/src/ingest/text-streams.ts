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

interface TextStreams {
  readonly push: (delta: string, options?: { readonly stream?: string }) => { readonly stop: boolean };
  readonly close: (message: unknown) => unknown;
  /** True while a message is streamed. */
  readonly isOpen: () => boolean;
}

interface StreamsOptions {
  readonly mayStop: (policy: string) => boolean;
  readonly isDisabled: (policy: string) => boolean;
}

/** Feeds streamed text to the policies that watch it, message by message. */
export function createTextStreams(watching: readonly Policy[], options: StreamsOptions): TextStreams {
  return new Streams(watching, options);
}

class Streams implements TextStreams {
  readonly #watching: readonly Policy[];
  readonly #mayStop: (policy: string) => boolean;
  readonly #isDisabled: (policy: string) => boolean;
  readonly #streams = new Map<string, Stream>();

  constructor(watching: readonly Policy[], { mayStop, isDisabled }: StreamsOptions) {
    this.#watching = watching;
    this.#mayStop = mayStop;
    this.#isDisabled = isDisabled;
  }

  readonly push = (delta: string, options: { readonly stream?: string } = {}): { readonly stop: boolean } => {
    if (this.#watching.length === 0 || typeof delta !== "string") return { stop: false };
    const { stream: key } = readMembers(options);
    const stream = this.#open(typeof key === "string" ? key : "");
    stream.rest += delta;
    if (stream.rest.length >= PIECE) this.#feedPieces(stream);
    return { stop: stream.stop };
  };

  /** Ends a message: what was found in it is stored with it. */
  readonly close = (message: unknown): unknown => {
    const { agent, type } = readMembers(message);
    const key =
      type === "model.reasoned" ? REASONING : typeof agent === "string" && this.#streams.has(agent) ? agent : "";
    const stream = this.#streams.get(key);
    if (stream === undefined) return message;
    this.#streams.delete(key);
    if (stream.rest !== "") this.#feed(stream, stream.rest);
    const { found, failures } = stream;
    return {
      ...(message as object),
      ...(found.length > 0 && { found }),
      ...(failures.length > 0 && { faults: failures }),
    };
  };

  readonly isOpen: TextStreams["isOpen"] = () => this.#streams.size > 0;

  #open(key: string): Stream {
    const existing = this.#streams.get(key);
    if (existing !== undefined) return existing;
    const watchers: { readonly policy: string; readonly watcher: TextWatcher }[] = [];
    const stream: Stream = { rest: "", stop: false, watchers, found: [], failures: [] };
    for (const { name, watchText } of this.#watching) {
      if (this.#isDisabled(name)) continue;
      try {
        if (watchText === undefined) continue;
        const watcher = watchText();
        refusePromise(watcher, "a watcher is made");
        watchers.push({ policy: name, watcher });
      } catch (error) {
        stream.failures.push({ name, during: "text", message: messageOf(error, Infinity) });
      }
    }
    setBounded(this.#streams, [key, stream], MAX_STREAMS);
    return stream;
  }

  #feed(stream: Stream, piece: string): void {
    for (const { policy, watcher } of stream.watchers) {
      try {
        const finding = watcher.push(piece);
        if (finding === undefined) continue;
        refusePromise(finding, "a watcher answers");
        const { stop = false, ...found } = readFinding(finding);
        if (stream.found.length < MAX_FINDINGS) stream.found.push({ policy, ...found });
        if (stop && this.#mayStop(policy)) stream.stop = true;
      } catch (error) {
        stream.failures.push({ name: policy, during: "text", message: messageOf(error, Infinity) });
        stream.watchers = stream.watchers.filter((other) => other.watcher !== watcher);
      }
    }
  }

  #feedPieces(stream: Stream): void {
    const text = stream.rest;
    let from = 0;
    for (; text.length - from >= PIECE; from += PIECE) this.#feed(stream, text.slice(from, from + PIECE));
    stream.rest = text.slice(from);
  }
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
