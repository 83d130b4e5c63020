import type { Undefinable } from "../text/defined.ts";
import type { DerivedEvents } from "../events/derived-events.ts";
import type { DerivedType, HostEvent } from "../events/run-event.ts";
import type { MoveRefusal, WantedMove } from "../graph/moves.ts";
import type { Mode } from "../view/run-view.ts";
import type { ViewState } from "../view/view-state.ts";

/**
 * The step as seen by the functions that turn decisions and commands into derived events. They read the view, and write
 * by `derive` only.
 */
export interface DeriveContext {
  readonly view: ViewState;
  /** The host event whose step this is. */
  readonly cause: () => HostEvent | undefined;
  /**
   * Appends a derived event to the step and folds it, so that the view shows it when this returns. It leaves out
   * members that are `undefined`.
   */
  readonly derive: <K extends DerivedType>(type: K, by: string, body: Undefinable<DerivedEvents[K]>) => void;
  /** True if a policy acts in a mode at least this strict. */
  readonly acts: (policy: string, least: Mode) => boolean;
  /** The reason the graph refuses a move now, if it does. A guard that throws is recorded and counts as not met. */
  readonly whyNot: (wanted: WantedMove) => MoveRefusal | undefined;
}
