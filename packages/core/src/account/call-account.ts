import { isUnread } from "../events/is-unread.ts";
import type { Activity } from "../events/meaning.ts";
import type { HostEvent } from "../events/run-event.ts";
import {
  aboutCall,
  type CallChange,
  type CallCheck,
  callFailed,
  callLabel,
  callWorked,
  changeLanded,
  changesOf,
  checkOf,
  editsOf,
  isBeforeEdit,
  isCheck,
  isTest,
  readsOf,
} from "./call.ts";

type Result = HostEvent<"tool.finished">;

/** Fields of a call that tell what it did. One that was only requested has no outcome, and counts as worked. */
export type KnownCall = Pick<Result, "meaning"> & {
  readonly [K in "tool" | "outcome" | "exitCode" | "faults"]?: Result[K] | undefined;
};

/**
 * The account of one call. Every member is worked out when it is asked for, so that a reader that wants one answer pays
 * for one.
 */
export class CallAccount {
  readonly #call: Result;

  constructor(call: KnownCall) {
    // The readers of a result take one without an outcome as it is, and this class asks them nothing else.
    this.#call = call as Result;
  }

  /**
   * True if the call failed: by the exit code, by what the answer says, or by the host's flag. A call that was denied
   * never ran. Tests that fail are a failed call; a search without a match and the findings of a linter are results.
   */
  get failed(): boolean {
    return callFailed(this.#call);
  }

  /** True if it ran and did not fail. */
  get worked(): boolean {
    return callWorked(this.#call);
  }

  /** True if it has changed files: an edit that landed, alone or as a part of a line. */
  get landed(): boolean {
    return changeLanded(this.#call);
  }

  /** True if nothing could read it: it may have changed anything, and it shows nothing. */
  get unread(): boolean {
    return isUnread(this.#call);
  }

  /** The files it really changed, in the order of the call. */
  get changes(): readonly CallChange[] {
    return changesOf(this.#call);
  }

  /** The files it is there to change, whether it did or not. */
  get edits(): readonly string[] {
    return editsOf(this.#call.meaning);
  }

  /** The files it reads. */
  get reads(): readonly string[] {
    return readsOf(this.#call.meaning);
  }

  /** The check it makes, with its result; `undefined` for a call that tries nothing out. */
  get check(): CallCheck | undefined {
    return checkOf(this.#call);
  }

  /** True if it is a test run, alone or as a part. */
  get isTest(): boolean {
    return isTest(this.#call.meaning);
  }

  /** True if it tries out the work: tests, a build, a check, or a program. */
  get isCheck(): boolean {
    return isCheck(this.#call.meaning);
  }

  /** The identity of the question it asks. */
  get about(): string {
    return aboutCall(this.#call);
  }

  /** A readable name: the tool and its main argument. Foreign text. */
  get label(): string {
    return callLabel(this.#call);
  }

  /** True if an edit in the same line came after it, as in `npm test && sed -i …`: its result is the older one. */
  isBeforeEdit(...activities: readonly Activity[]): boolean {
    return isBeforeEdit(this.#call.meaning, ...activities);
  }
}

/**
 * Returns what a call did, from the event that finished it, or that requested it.
 *
 * @example
 * const { failed, landed, check } = callOf(event);
 */
export function callOf(call: KnownCall): CallAccount {
  return new CallAccount(call);
}
