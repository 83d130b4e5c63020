import type { RunPort } from "@phasekit/core";
import { recordAnswer, shieldRun } from "@phasekit/core/adapter";
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

declare const ReadableStream: new (source: { readonly pull: (controller: Controller) => Promise<void>; readonly cancel: (reason?: unknown) => Promise<void> }) => ReadableParts;

export interface StreamWatching {
  readonly model: unknown;
  readonly elapsed: () => number;
  readonly failed: (error: unknown) => void;
}

/**
 * The same stream, watched. Complete tool calls are held back until the model has finished: the SDK runs a tool as soon
 * as it sees the call, and an answer belongs into the log before its tools, with all of its calls asked for at once.
 * Everything else passes as it comes.
 */
export function observeStream(run: RunPort, stream: ReadableParts, { model, elapsed, failed }: StreamWatching): ReadableParts {
  const { attempt, text } = shieldRun(run);
  const reader = stream.getReader();
  const content: Part[] = [];
  const held: unknown[] = [];
  let modelId = model;
  let settled = false;
  let stopped = false;

  /** What passes on because of one part. */
  function take(part: Part): readonly unknown[] {
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
        settled = true;
        failed(part["error"]);
        return [...held.splice(0), part];
      case "finish":
        settle({ finishReason: part["finishReason"], usage: part["usage"] });
        return [...held.splice(0), part];
      default:
        return [part];
    }
  }

  function settle({ finishReason, usage }: { readonly finishReason: unknown; readonly usage: unknown }): void {
    if (settled) return;
    settled = true;
    attempt("doStream", () => recordAnswer(run, partsToAnswer({ content, finishReason, usage, model: modelId }), { durationMs: elapsed() }), undefined);
  }

  function giveUp(error: unknown): void {
    if (!settled) failed(error);
    settled = true;
  }

  return new ReadableStream({
    // One part read may let none pass: it goes on until one does.
    pull: async (controller) => {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            giveUp(aborted());
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
      giveUp(aborted());
      await reader.cancel(reason);
    },
  });
}

function aborted(): Error {
  return Object.assign(new Error("The stream ended before the model did."), { name: "AbortError" });
}
