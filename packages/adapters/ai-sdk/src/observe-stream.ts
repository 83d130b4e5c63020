import type { RunPort } from "@phasekit/core";
import { recordAnswer, shieldRun } from "@phasekit/core/adapter";
import { asEnded, isKeptAtClosing } from "./closing-answer.ts";
import { type Part, partIn, partsToAnswer } from "./model-parts.ts";

/** A web stream, as far as it is used; every runtime has them. */
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

/** An abort signal, as far as it is used. */
export interface AbortWatch {
  readonly aborted?: boolean;
  readonly reason?: unknown;
  readonly addEventListener: (type: "abort", listener: () => void, options: { readonly once: true }) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

declare const ReadableStream: new (source: { readonly pull: (controller: Controller) => Promise<void>; readonly cancel: (reason?: unknown) => Promise<void> }) => ReadableParts;

export interface StreamWatching {
  readonly model: unknown;
  /** Whether this is a closing answer, which goes on without the calls it makes. */
  readonly closing: boolean;
  /** The caller's: some majors leave a stream alone when they give up on it. */
  readonly signal: AbortWatch | undefined;
  readonly elapsed: () => number;
  readonly failed: (error: unknown) => void;
}

/**
 * The same stream, watched. Complete tool calls are held back until the model has finished: the SDK runs a tool as soon
 * as it sees the call, and an answer belongs into the log before its tools, with all of its calls asked for at once.
 * Everything else passes as it comes.
 */
export function observeStream(run: RunPort, stream: ReadableParts, { model, closing, signal, elapsed, failed }: StreamWatching): ReadableParts {
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

  /** What passes on because of one part. */
  function take(part: Part): readonly unknown[] {
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
    if (isOver()) return;
    attempt("doStream", () => recordAnswer(run, partsToAnswer({ content, finishReason, usage, model: modelId }), { durationMs: elapsed() }), undefined);
  }

  function giveUp(error: unknown): void {
    if (!isOver()) failed(error);
  }

  /** Whether something was recorded before; if not, it is now. */
  function isOver(): boolean {
    const before = settled;
    settled = true;
    signal?.removeEventListener("abort", onAbort);
    return before;
  }

  return new ReadableStream({
    // One part read may let none pass: it goes on until one does.
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
          const parts = take(partIn(value));
          for (const part of parts) controller.enqueue(part);
          if (stopped) {
            // A policy wants no more of this text: what came is the answer.
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

/** Why the caller gave up. Whatever reason an application names, it is one thing to the log; running out of time is another. */
export function whyAborted({ reason }: { readonly reason?: unknown }): unknown {
  return partIn(reason)["name"] === "TimeoutError" ? reason : aborted("The call was given up.");
}

function aborted(message: string): Error {
  return Object.assign(new Error(message), { name: "AbortError" });
}
