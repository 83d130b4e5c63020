import { messageOf } from "../text/error-shape.ts";
import { refusePromise } from "../run/settle-quietly.ts";
import { systemClock } from "../run/system-clock.ts";
import type { IngestContext } from "./ingest-context.ts";
import { isTime } from "./stamp-event.ts";

/** A clock that always returns a time. If the given clock fails, the fault is recorded once and the last time kept. */
export function createSafeClock(
  clock: () => number,
  { view, faults }: Pick<IngestContext, "view" | "faults">,
): () => number {
  let reading = false;
  let failed = false;
  return () => {
    if (reading) return view.now;
    reading = true;
    try {
      const time: unknown = clock();
      if (isTime(time)) return time;
      refusePromise(time, "a clock answers");
      throw new TypeError("it gave no time");
    } catch (error) {
      if (!failed) faults.push({ name: "clock", during: "clock", message: messageOf(error) });
      failed = true;
      return view.seq > 0 ? view.now : systemClock();
    } finally {
      reading = false;
    }
  };
}
