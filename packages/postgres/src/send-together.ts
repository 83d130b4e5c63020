/** How something is sent. */
export interface SendTogetherOptions<TGiven, TAnswer> {
  /** The item it changes. Two changes of one item are never sent together: one would wait for the other. */
  readonly about: (given: TGiven) => string;
  /** Sends one. When it `isUncertain`, it may have arrived before. */
  readonly alone: (given: TGiven, isUncertain: boolean) => Promise<TAnswer>;
  /** Sends many; what has no answer, and everything when it fails, is sent again alone. */
  readonly together: (given: readonly TGiven[]) => Promise<readonly (TAnswer | null | undefined)[]>;
}

/** On their way at the same time, before others have to wait and travel together. */
const AT_ONCE = 2;
const MAX_TOGETHER = 64;
/** A batch that takes longer waits for a lock, and must not hold up the others. */
const SLOW_MS = 50;

interface Passenger<TGiven, TAnswer> {
  readonly given: TGiven;
  readonly topic: string;
  readonly arrived: (answer: TAnswer | PromiseLike<TAnswer>) => void;
}

/**
 * Sends one immediately, and together what comes at the same time or while others are on their way: the busier, the
 * cheaper each of them, and no change waits for others.
 */
export function sendTogether<TGiven, TAnswer>({
  about,
  alone,
  together,
}: SendTogetherOptions<TGiven, TAnswer>): (given: TGiven) => Promise<TAnswer> {
  const waiting: Passenger<TGiven, TAnswer>[] = [];
  let away = 0;
  let isLeaving = false;

  /** At the end of this turn of the event loop: those who are back together begin the next together. */
  function leaveSoon(): void {
    if (isLeaving || waiting.length === 0) return;
    isLeaving = true;
    setImmediate(depart);
  }

  function depart(): void {
    isLeaving = false;
    while (away < AT_ONCE && waiting.length > 0) {
      away += 1;
      let isBack = false;
      const back = (): void => {
        if (isBack) return;
        isBack = true;
        clearTimeout(timer);
        away -= 1;
        leaveSoon();
      };
      const timer = setTimeout(back, SLOW_MS);
      timer.unref();
      void travel(takeShare()).then(back);
    }
  }

  /**
   * As many as leave something for the others that may leave now: who waits longest, with its rivals, then the next.
   */
  function takeShare(): readonly Passenger<TGiven, TAnswer>[] {
    const turns = new Map<string, number>();
    for (const { topic } of waiting) if (!turns.has(topic)) turns.set(topic, turns.size);
    waiting.sort((one, other) => (turns.get(one.topic) ?? 0) - (turns.get(other.topic) ?? 0));
    let share = Math.ceil(waiting.length / (AT_ONCE - away + 1));
    while (share < waiting.length && waiting[share]?.topic === waiting[share - 1]?.topic) share += 1;
    return waiting.splice(0, Math.min(MAX_TOGETHER, share));
  }

  /** Never rejects: every passenger gets the answer, or the problem, that is its own. */
  async function travel(passengers: readonly Passenger<TGiven, TAnswer>[]): Promise<void> {
    const [first] = passengers;
    if (first !== undefined && passengers.length === 1) return await settle(first, alone(first.given, false));
    const answers = await together(passengers.map(({ given }) => given)).catch(() => undefined);
    for (const [index, passenger] of passengers.entries()) {
      const answer = answers?.[index];
      void settle(passenger, answer ?? alone(passenger.given, answers === undefined));
    }
  }

  async function settle({ arrived }: Passenger<TGiven, TAnswer>, answer: TAnswer | Promise<TAnswer>): Promise<void> {
    arrived(answer);
    await Promise.resolve(answer).catch(() => undefined);
  }

  return (given) =>
    new Promise((arrived) => {
      waiting.push({ given, topic: about(given), arrived });
      leaveSoon();
    });
}
