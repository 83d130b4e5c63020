import { type EventQueue, MAX_DEPTH } from "./event-queue.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { Subscriber } from "./run.ts";
import { isThenable, settleQuietly } from "./settle-quietly.ts";

/** A subscriber that comes within this many events gets the run from its beginning. */
const BACKLOG = 256;

type Step = readonly RunEvent[];

/** Hands each step to all subscribers, in order, also if a subscriber records an event. */
export function createDelivery(
  queue: Pick<EventQueue, "depth" | "runAt">,
  { keepsBacklog, report }: { readonly keepsBacklog: boolean; readonly report: (error: unknown) => void },
): {
  readonly deliver: (step: Step) => void;
  readonly subscribe: (subscriber: Subscriber) => () => void;
} {
  const subscribers = new Set<Subscriber>();
  const pending: { readonly step: Step; readonly depth: number }[] = [];
  let backlog: Step[] | undefined = keepsBacklog ? [] : undefined;
  let backlogEvents = 0;
  let delivering = false;
  /** How many subscribers are being given the backlog, each from inside the other. */
  let catchingUp = 0;

  function deliver(step: Step): void {
    Object.freeze(step);
    keep(step);
    if (subscribers.size === 0) return;
    pending.push({ step, depth: queue.depth() });
    if (delivering) return;
    delivering = true;
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) notifyAll(next);
    delivering = false;
  }

  function notifyAll({ step, depth }: (typeof pending)[number]): void {
    queue.runAt(depth, () => {
      for (const subscriber of [...subscribers]) notify(subscriber, step);
    });
  }

  function keep(step: Step): void {
    backlogEvents += step.length;
    if (backlogEvents > BACKLOG) backlog = undefined;
    backlog?.push(step);
  }

  /** A subscriber that throws or rejects is reported; the others and the agent are not affected. */
  function notify(subscriber: Subscriber, step: Step): void {
    try {
      const answer: unknown = subscriber(step);
      if (isThenable(answer)) settleQuietly(answer, report);
    } catch (error) {
      report(error);
    }
  }

  function subscribe(subscriber: Subscriber): () => void {
    subscribers.add(subscriber);
    // Steps still in delivery reach it there. One that subscribes for every step it gets does not get them again.
    const steps = catchingUp > MAX_DEPTH ? [] : (backlog ?? []);
    catchingUp += 1;
    for (const step of steps.slice(0, steps.length - pending.length)) notify(subscriber, step);
    catchingUp -= 1;
    return () => subscribers.delete(subscriber);
  }

  return { deliver, subscribe };
}
