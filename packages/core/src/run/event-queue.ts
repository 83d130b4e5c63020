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

/**
 * Bounds re-entrance. Code that records an event for every event it gets would never end: after some of them, the rest
 * is refused and the recorder disabled.
 */
export function createEventQueue({
  handle,
  refuse,
  isDisabled,
  report,
}: {
  /** Takes one event all the way. */
  readonly handle: (input: unknown) => boolean;
  /** Records that events of this recorder are refused from now on; `input` is the first of them. */
  readonly refuse: (input: unknown, recorder: string) => void;
  readonly isDisabled: (recorder: string) => boolean;
  readonly report: (error: unknown) => void;
}): EventQueue {
  const waiting: QueueEntry[] = [];
  let held = false;
  let draining = false;
  let depth = -1;
  /** Events recorded from inside others since the host called. */
  let nested = 0;
  let overflow: { readonly input: unknown; readonly recorder: string } | undefined;

  function push(input: unknown): boolean {
    const own = depth + 1;
    if (own === 0) nested = 0;
    else if (isTooDeep(input, own)) return false;
    if (held) {
      waiting.push({ input, depth: own });
      return true;
    }
    const accepted = handleAt({ input, depth: own });
    if (own === 0) refuseOverflow();
    return accepted;
  }

  function handleAt(entry: QueueEntry): boolean {
    const before = depth;
    depth = entry.depth;
    try {
      const accepted = handle(entry.input);
      drain();
      return accepted;
    } catch (error) {
      report(error);
      return false;
    } finally {
      depth = before;
    }
  }

  /** Handles the events that waited, one after the other. */
  function drain(): void {
    if (draining) return;
    draining = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) handleAt(next);
    draining = false;
  }

  function isTooDeep(input: unknown, own: number): boolean {
    const recorder = held ? RECORDER.deciding : RECORDER.delivering;
    if (isDisabled(recorder)) return true;
    nested += 1;
    if (own <= MAX_DEPTH && nested <= MAX_NESTED) return false;
    overflow ??= { input, recorder };
    return true;
  }

  function refuseOverflow(): void {
    if (overflow === undefined) return;
    const { input, recorder } = overflow;
    // Events recorded from inside this one are left out.
    runAt(MAX_DEPTH, () => {
      refuse(input, recorder);
      drain();
    });
    overflow = undefined;
  }

  function hold<T>(work: () => T): T {
    held = true;
    try {
      return work();
    } finally {
      held = false;
    }
  }

  function runAt(at: number, work: () => void): void {
    const before = depth;
    depth = at;
    work();
    depth = before;
  }

  return { push, hold, isHeld: () => held, depth: () => depth, runAt };
}
