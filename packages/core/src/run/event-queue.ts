/** How deep events may be recorded from inside others, and how many for one call of the host. */
export const MAX_DEPTH = 16;
const MAX_NESTED = 1000;

/** The names under which a failure is recorded: code that records events while deciding, or while it gets a step. */
const RECORDER = { deciding: "recording-while-deciding", delivering: "recording-subscriber" } as const;

/** Takes events one after the other, also those recorded from inside another. */
export interface EventQueue {
  /** Handles an event now, or after the present step if it is recorded while one is held. False if it is refused. */
  readonly push: (input: unknown) => boolean;
  /** Runs work during which recorded events wait. */
  readonly hold: <T>(work: () => T) => T;
  readonly isHeld: () => boolean;
  /** The depth of the event in work: 0 for one of the host, 1 for one recorded from inside it, -1 if there is none. */
  readonly depth: () => number;
  /** Runs work as a part of an event of this depth. */
  readonly runAt: (depth: number, work: () => void) => void;
}

interface QueueEntry {
  readonly input: unknown;
  readonly depth: number;
}

interface QueueOptions {
  /** Takes one event all the way. */
  readonly handle: (input: unknown) => boolean;
  /** Records that events of this recorder are refused from now on; `input` is the first of them. */
  readonly refuse: (input: unknown, recorder: string) => void;
  readonly isDisabled: (recorder: string) => boolean;
  readonly report: (error: unknown) => void;
}

/**
 * Bounds re-entrance. Code that records an event for every event it gets would never end: after some of them, the rest
 * is refused and the recorder disabled.
 */
export function createEventQueue(options: QueueOptions): EventQueue {
  return new Queue(options);
}

class Queue implements EventQueue {
  readonly #handle: (input: unknown) => boolean;
  readonly #refuse: (input: unknown, recorder: string) => void;
  readonly #isDisabled: (recorder: string) => boolean;
  readonly #report: (error: unknown) => void;
  readonly #waiting: QueueEntry[] = [];
  #held = false;
  #draining = false;
  #depth = -1;
  /** Events recorded from inside others since the host called. */
  #nested = 0;
  #overflow: { readonly input: unknown; readonly recorder: string } | undefined;

  constructor({ handle, refuse, isDisabled, report }: QueueOptions) {
    this.#handle = handle;
    this.#refuse = refuse;
    this.#isDisabled = isDisabled;
    this.#report = report;
  }

  readonly push = (input: unknown): boolean => {
    const own = this.#depth + 1;
    if (own === 0) this.#nested = 0;
    else if (this.#isTooDeep(input, own)) return false;
    if (this.#held) {
      this.#waiting.push({ input, depth: own });
      return true;
    }
    const accepted = this.#handleAt({ input, depth: own });
    if (own === 0) this.#refuseOverflow();
    return accepted;
  };

  readonly hold = <T>(work: () => T): T => {
    this.#held = true;
    try {
      return work();
    } finally {
      this.#held = false;
    }
  };

  readonly isHeld: EventQueue["isHeld"] = () => this.#held;

  readonly depth: EventQueue["depth"] = () => this.#depth;

  readonly runAt = (at: number, work: () => void): void => {
    const before = this.#depth;
    this.#depth = at;
    work();
    this.#depth = before;
  };

  #handleAt(entry: QueueEntry): boolean {
    const before = this.#depth;
    this.#depth = entry.depth;
    try {
      const accepted = this.#handle(entry.input);
      this.#drain();
      return accepted;
    } catch (error) {
      this.#report(error);
      return false;
    } finally {
      this.#depth = before;
    }
  }

  /** Handles the events that waited, one after the other. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#handleAt(next);
    this.#draining = false;
  }

  #isTooDeep(input: unknown, own: number): boolean {
    const recorder = this.#held ? RECORDER.deciding : RECORDER.delivering;
    if (this.#isDisabled(recorder)) return true;
    this.#nested += 1;
    if (own <= MAX_DEPTH && this.#nested <= MAX_NESTED) return false;
    this.#overflow ??= { input, recorder };
    return true;
  }

  #refuseOverflow(): void {
    if (this.#overflow === undefined) return;
    const { input, recorder } = this.#overflow;
    // Events recorded from inside this one are left out.
    this.runAt(MAX_DEPTH, () => {
      this.#refuse(input, recorder);
      this.#drain();
    });
    this.#overflow = undefined;
  }
}
