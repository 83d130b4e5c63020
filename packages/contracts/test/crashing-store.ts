import type { WorkStore } from "../src/index.ts";
import type { Random } from "./random.ts";

/** Thrown where a worker dies: nothing it would have done afterwards happens. */
export class Crash extends Error {}

/**
 * A store as one worker sees it: between any two of its calls others may come first, and it may die before a call
 * takes effect or after it did, without having learned the answer.
 */
export function crashingStore(
  store: WorkStore,
  { random, crashes }: { readonly random: Random; readonly crashes: number },
): WorkStore {
  let dead = false;
  const wrap =
    <TArguments extends readonly unknown[], T>(call: (...given: TArguments) => Promise<T>) =>
    async (...given: TArguments): Promise<T> => {
      for (let turns = random.below(6); turns > 0; turns -= 1) await Promise.resolve();
      if (dead || random.chance(crashes)) {
        dead = true;
        throw new Crash();
      }
      const answer = await call(...given);
      if (random.chance(crashes)) {
        dead = true;
        throw new Crash();
      }
      return answer;
    };
  return {
    create: wrap(store.create),
    load: wrap(store.load),
    commit: wrap(store.commit),
    list: wrap(store.list),
    findClaim: wrap(store.findClaim),
    findReview: wrap(store.findReview),
    readSnapshot: wrap(store.readSnapshot),
    history: wrap(store.history),
    takeItems: wrap(store.takeItems),
    releaseItems: wrap(store.releaseItems),
    takeHooks: wrap(store.takeHooks),
    settleHook: wrap(store.settleHook),
  };
}
