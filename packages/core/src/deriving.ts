import type { DerivedFacts } from "./facts/derived-facts.ts";
import type { DerivedType, HostEvent } from "./facts/run-event.ts";
import type { MoveRefusal, WantedMove } from "./moves.ts";
import type { Mode } from "./run-view.ts";
import type { ViewState } from "./view-state.ts";

/** What the functions that turn decisions and commands into derived facts work with. */
export interface Deriving {
  readonly view: ViewState;
  /** The host fact whose step this is. */
  readonly cause: () => HostEvent | undefined;
  /** Appends a derived fact to the step and folds it at once. */
  readonly derive: <K extends DerivedType>(type: K, by: string, body: DerivedFacts[K]) => void;
  /** Whether a policy acts in a mode at least this strict. */
  readonly acts: (policy: string, least: Mode) => boolean;
  /** Why the graph refuses a move now; a condition that throws is recorded and counts as not met. */
  readonly whyNot: (wanted: WantedMove) => MoveRefusal | undefined;
}
