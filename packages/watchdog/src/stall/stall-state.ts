import { type Alert, defineState, type Expectation } from "@phasekit/core";
import type { NotedError } from "@phasekit/core/account";

/** One of the last calls, as patterns and texts need it. */
export interface StallEntry {
  /** The identity of the question. */
  readonly about: string;
  readonly tool: string;
  readonly effect: string;
  /** It is there to change a file of the project. */
  readonly edits: boolean;
  readonly failed: boolean;
  /** The same question got the same answer before, and nothing was changed in between. */
  readonly repeated: boolean;
  readonly waiting: boolean;
  readonly gain: number;
  readonly turn: number;
  /** The beginning of the answer. */
  readonly answer: string;
  /** The error, if it failed and a reader found one. */
  readonly error?: NotedError;
  /** Landings up to its answer, its own counted. */
  readonly landings: number;
}

/** A question that was asked before. */
interface AskedBefore {
  /** Changes that had landed when it was asked last. */
  readonly changes: number;
  /** New actions that had worked when it was asked last. */
  readonly steps: number;
  readonly turn: number;
}

/** The memory of the stall fold. Policies read it with `run.read(stallState)`. */
export interface StallState {
  /** How much the agent has acted without learning or changing anything. */
  level: number;
  /** The repetition the user asked for. */
  expected: Expectation;
  /** True if an alert is open. */
  open: boolean;
  /** The alerts that hold now. */
  alerts: readonly Alert[];
  /** Counts alerts, so that each one is an episode of its own. */
  episode: number;
  /** True if the last call repeated the one before it and brought little new. */
  repeating: boolean;
  /** Checks in a row that failed as they did before a change. */
  unmoved: number;
  /** Failures in a row that said nothing new. */
  deaf: number;
  /**
   * The newest answer brought the run forward: new work landed, fewer tests fail, a check turned green, or every answer
   * of its turn was worth its call.
   */
  progressed: boolean;
  /** The turn of the last call that cost something. */
  chargedIn: number | undefined;
  /** The turn in which new work landed last. */
  workedIn: number | undefined;
  /** The answer of the newest call is missing: what the agent learns is unknown. */
  blind: boolean;
  /** Changes that have landed. */
  changes: number;
  /** Changes that have landed, those that were made before counted too. */
  landings: number;
  /** New actions that worked, whether or not they changed something. */
  steps: number;
  asked: Map<string, AskedBefore>;
  /** The fewest failing tests so far. */
  failing: number | undefined;
  /** The last calls, the newest at the end. */
  recent: StallEntry[];
  /** Turns of one agent in a row with text only, without a call or an answer of the user in between. */
  talk: { readonly agent: string | undefined; readonly count: number; readonly turn: number } | undefined;
  /** The hash of the newest reasoning since the last call. */
  thought: string | undefined;
  /** Hashes of the last texts. */
  texts: Map<string, true>;
  /** Files that were changed, and files and folders that are known to exist, the newest at the end. */
  edited: Map<string, true>;
  known: Map<string, true>;
  /** Checks that failed before anything was changed. */
  redBefore: Map<string, true>;
  /** The hash of the workspace when it was observed last. */
  workspace: string | undefined;
  /** The question of the newest request. */
  requested: string | undefined;
  /** The question that was refused last, and the landings up to then. */
  refused: { readonly about: string | undefined; readonly landings: number } | undefined;
  /** Calls of child runs, and the child that made each one first. */
  shared: Map<string, string>;
}

/** Reads the level of a run: `run.view.read(stallState)?.level`. */
export const stallState = /* @__PURE__ */ defineState<StallState>("watchdog/stall");

export function createStallState(): StallState {
  return {
    level: 0,
    expected: { repeats: false },
    open: false,
    alerts: [],
    episode: 0,
    repeating: false,
    unmoved: 0,
    deaf: 0,
    progressed: false,
    chargedIn: undefined,
    workedIn: undefined,
    blind: false,
    changes: 0,
    landings: 0,
    steps: 0,
    asked: new Map(),
    failing: undefined,
    recent: [],
    talk: undefined,
    thought: undefined,
    texts: new Map(),
    edited: new Map(),
    known: new Map(),
    redBefore: new Map(),
    workspace: undefined,
    requested: undefined,
    refused: undefined,
    shared: new Map(),
  };
}
