import type { RunPort } from "@phasekit/core";
import { recordAnswer, shieldRun, toObject } from "@phasekit/core/adapter";
import { asEnded, isKeptAtClosing } from "./closing-answer.ts";
import { type Part, partsToAnswer } from "./model-parts.ts";

/** The members we use of a web stream; every runtime has them. */
export interface ReadableParts {
  readonly getReader: () => {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>;
    readonly cancel: (reason?: unknown) => Promise<void>;
  };
}

interface Controller {
  readonly enqueue: (part: unknown) => void;
  readonly close: () => void;
  readonly error: (error: unknown) => void;
}

/** The members we use of an abort signal. */
export interface AbortWatch {
  readonly aborted?: boolean;
  readonly reason?: unknown;
  readonly addEventListener: (type: "abort", listener: () => void, options: { readonly once: true }) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

declare const ReadableStream: new (source: {
  readonly pull: (controller: Controller) => Promise<void>;
  readonly cancel: (reason?: unknown) => Promise<void>;
}) => ReadableParts;

/** Inputs of `observeStream()`. */
export interface StreamContext {
  readonly model: unknown;
  /** True for a closing answer: its tool calls are dropped. */
  readonly closing: boolean;
  /** The caller's signal: on abort, some majors neither read nor cancel the stream. */
  readonly signal: AbortWatch | undefined;
  readonly elapsed: () => number;
  readonly failed: (error: unknown) => void;
}

/**
 * Wraps a stream to record its answer. Tool calls are held back until the model has finished: the SDK runs a tool as
 * soon as it sees the call, but the answer must be logged before its tools run, with permission requested for all calls
 * up front. All other parts pass through immediately.
 */
export function observeStream(run: RunPort, stream: ReadableParts, context: StreamContext): ReadableParts {
  return new ReadableStream(createSource(run, stream, context));
}

interface PartSource {
  readonly pull: (controller: Controller) => Promise<void>;
  readonly cancel: (reason?: unknown) => Promise<void>;
}

function createSource(run: RunPort, stream: ReadableParts, options: StreamContext): PartSource {
  return new ObservedSource(run, stream, options);
}

class ObservedSource implements PartSource {
  readonly #run: RunPort;
  readonly #closing: boolean;
  readonly #signal: AbortWatch | undefined;
  readonly #elapsed: () => number;
  readonly #failed: (error: unknown) => void;
  readonly #attempt: <T>(during: string, work: () => T, otherwise: T) => T;
  readonly #text: (delta: string, options?: { readonly stream?: string }) => { readonly stop: boolean };
  readonly #reader: {
    readonly read: () => Promise<{ readonly done: boolean; readonly value?: unknown }>;
    readonly cancel: (reason?: unknown) => Promise<void>;
  };
  readonly #content: Part[] = [];
  readonly #held: unknown[] = [];
  #modelId: unknown;
  #settled = false;
  #stopped = false;
  readonly #onAbort = (): void => {
    this.#giveUp(this.#signal === undefined ? undefined : whyAborted(this.#signal));
  };

  constructor(run: RunPort, stream: ReadableParts, { model, closing, signal, elapsed, failed }: StreamContext) {
    this.#run = run;
    this.#closing = closing;
    this.#signal = signal;
    this.#elapsed = elapsed;
    this.#failed = failed;
    const { attempt, text } = shieldRun(run);
    this.#attempt = attempt;
    this.#text = text;
    this.#reader = stream.getReader();
    this.#modelId = model;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  // Reading one part may pass on none: read until one passes.
  readonly pull: PartSource["pull"] = async (controller) => {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) {
          this.#giveUp(aborted("The stream ended before the model did."));
          for (const part of this.#held.splice(0)) controller.enqueue(part);
          controller.close();
          return;
        }
        const parts = this.#process(toObject(value));
        for (const part of parts) controller.enqueue(part);
        if (this.#stopped) {
          // A policy cut the text: the answer is what arrived so far.
          this.#stopped = false;
          this.#settle({ finishReason: "stop", usage: undefined });
          await this.#reader.cancel();
          controller.close();
          return;
        }
        if (parts.length > 0) return;
      }
    } catch (error) {
      this.#giveUp(error);
      controller.error(error);
    }
  };

  readonly cancel: PartSource["cancel"] = async (reason) => {
    this.#giveUp(aborted("The stream ended before the model did."));
    await this.#reader.cancel(reason);
  };

  /** Processes one part and returns the parts to pass on. */
  #process(part: Part): readonly unknown[] {
    if (this.#closing && !isKeptAtClosing(part)) {
      if (part["type"] === "tool-call") this.#content.push(part);
      return [];
    }
    switch (part["type"]) {
      case "text-delta": {
        const delta = typeof part["delta"] === "string" ? part["delta"] : "";
        this.#content.push({ type: "text", text: delta });
        this.#stopped = this.#text(delta).stop;
        return [part];
      }
      case "reasoning-delta": {
        const delta = typeof part["delta"] === "string" ? part["delta"] : "";
        this.#content.push({ type: "reasoning", text: delta });
        this.#stopped = this.#text(delta, { stream: "reasoning" }).stop;
        return [part];
      }
      case "response-metadata":
        this.#modelId = part["modelId"] ?? this.#modelId;
        return [part];
      case "tool-call":
        this.#content.push(part);
        if (part["providerExecuted"] === true) return [part];
        this.#held.push(part);
        return [];
      case "error":
        this.#giveUp(part["error"]);
        return [...this.#held.splice(0), part];
      case "finish":
        this.#settle({ finishReason: part["finishReason"], usage: part["usage"] });
        return [...this.#held.splice(0), this.#closing ? asEnded(part) : part];
      default:
        return [part];
    }
  }

  #settle({ finishReason, usage }: { readonly finishReason: unknown; readonly usage: unknown }): void {
    if (this.#markOver()) return;
    this.#attempt(
      "doStream",
      () =>
        recordAnswer(this.#run, partsToAnswer({ content: this.#content, finishReason, usage, model: this.#modelId }), {
          durationMs: this.#elapsed(),
        }),
      undefined,
    );
  }

  #giveUp(error: unknown): void {
    if (!this.#markOver()) this.#failed(error);
  }

  /** Marks the stream as over. True if it was over before. */
  #markOver(): boolean {
    const before = this.#settled;
    this.#settled = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    return before;
  }
}

/** Why the caller aborted. The log tells a timeout from any other reason. */
export function whyAborted({ reason }: { readonly reason?: unknown }): unknown {
  return toObject(reason)["name"] === "TimeoutError" ? reason : aborted("The call was aborted.");
}

function aborted(message: string): Error {
  return Object.assign(new Error(message), { name: "AbortError" });
}
