import type { RecordedEvent } from "./recorded-run.ts";
import { isFinish } from "./host-view.ts";

/** Counts turns: a text and the call after it are one turn; a call right after a call is a turn of its own. */
export class TurnCounter {
  turn = 0;
  #open = false;
  #called = false;

  /** Takes the next event in. True if it opens a turn. */
  add(event: RecordedEvent): boolean {
    if (event.type === "user") {
      this.#open = false;
      return false;
    }
    if (event.type === "tool" && isFinish(event)) return false;
    const opens = event.type === "text" || !this.#open || this.#called;
    if (opens) {
      this.turn += 1;
      this.#open = true;
    }
    this.#called = event.type === "tool";
    return opens;
  }
}

/** The number of turns of a run. */
export function countTurns(events: readonly RecordedEvent[]): number {
  const counter = new TurnCounter();
  for (const event of events) counter.add(event);
  return counter.turn;
}
