import type { ClipLimits } from "../text/clip.ts";
import type { IngestFault } from "../events/run-event.ts";
import type { Interpreter } from "./interpreter.ts";
import type { JsonObject } from "../text/json.ts";
import type { ViewState } from "../view/view-state.ts";

/**
 * Removes what must not be stored. Gets the whole event as JSON, before anything is cut, interpreted or derived.
 * Must return its own output unchanged.
 */
export type Redactor = (event: JsonObject) => JsonObject;

/** Everything `ingestEvent` depends on. */
export interface IngestContext {
  readonly view: ViewState;
  readonly interpreters: readonly Interpreter[];
  readonly redact: Redactor | undefined;
  readonly clip: Required<ClipLimits>;
  /** Always returns a finite time. */
  readonly clock: () => number;
  /** Adds the findings in streamed text to the message that ends the stream. */
  readonly closeStream: (message: unknown) => unknown;
  /** Failures outside of any event; the next event stores them. */
  readonly faults: IngestFault[];
  /** Reports a failure to the host. The log says less: the failure may quote a secret. */
  readonly report: (error: unknown) => void;
}
