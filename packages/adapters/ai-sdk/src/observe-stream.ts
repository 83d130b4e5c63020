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
export function observeStream(
  run: RunPort,
  stream: ReadableParts,
  { model, closing, signal, elapsed, failed }: StreamContext,
): ReadableParts {
  const { attempt, text } = shieldRun(run);
  const reader = stream.getReader();
  const content: Part[] = [];
  const held: unknown[] = [];
  let modelId = model;
  let settled = false;
  let stopped = false;
  const onAbort = (): void => {
    giveUp(signal === undefined ? undefined : whyAborted(signal));
  };
  signal?.addEventListener("abort", onAbort, { once: true });

  /** Processes one part and returns the parts to pass on. */
  function process(part: Part): readonly unknown[] {
    if (closing && !isKeptAtClosing(part)) {
      if (part["type"] === "tool-call") content.push(part);
      return [];
    }
    switch (part["type"]) {
      case "text-delta": {
        const delta = typeof part["delta"] === "string" ? part["delta"] : "";
        content.push({ type: "text", text: delta });
        stopped = text(delta).stop;
        return [part];
      }
      case "reasoning-delta": {
        const delta = typeof part["delta"] === "string" ? part["delta"] : "";
        content.push({ type: "reasoning", text: delta });
        stopped = text(delta, { stream: "reasoning" }).stop;
        return [part];
      }
      case "response-metadata":
        modelId = part["modelId"] ?? modelId;
        return [part];
      case "tool-call":
        content.push(part);
        if (part["providerExecuted"] === true) return [part];
        held.push(part);
        return [];
      case "error":
        giveUp(part["error"]);
        return [...held.splice(0), part];
      case "finish":
        settle({ finishReason: part["finishReason"], usage: part["usage"] });
        return [...held.splice(0), closing ? asEnded(part) : part];
      default:
        return [part];
    }
  }

  function settle({ finishReason, usage }: { readonly finishReason: unknown; readonly usage: unknown }): void {
    if (markOver()) return;
    attempt(
      "doStream",
      () =>
        recordAnswer(run, partsToAnswer({ content, finishReason, usage, model: modelId }), { durationMs: elapsed() }),
      undefined,
    );
  }

  function giveUp(error: unknown): void {
    if (!markOver()) failed(error);
  }

  /** Marks the stream as over. True if it was over before. */
  function markOver(): boolean {
    const before = settled;
    settled = true;
    signal?.removeEventListener("abort", onAbort);
    return before;
  }

  return new ReadableStream({
    // Reading one part may pass on none: read until one passes.
    pull: async (controller) => {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            giveUp(aborted("The stream ended before the model did."));
            for (const part of held.splice(0)) controller.enqueue(part);
            controller.close();
            return;
          }
          const parts = process(toObject(value));
          for (const part of parts) controller.enqueue(part);
          if (stopped) {
            // A policy cut the text: the answer is what arrived so far.
            stopped = false;
            settle({ finishReason: "stop", usage: undefined });
            await reader.cancel();
            controller.close();
            return;
          }
          if (parts.length > 0) return;
        }
      } catch (error) {
        giveUp(error);
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      giveUp(aborted("The stream ended before the model did."));
      await reader.cancel(reason);
    },
  });
}

/** Why the caller aborted. The log tells a timeout from any other reason. */
export function whyAborted({ reason }: { readonly reason?: unknown }): unknown {
  return toObject(reason)["name"] === "TimeoutError" ? reason : aborted("The call was aborted.");
}

function aborted(message: string): Error {
  return Object.assign(new Error(message), { name: "AbortError" });
}
