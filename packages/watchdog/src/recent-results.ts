import type { KeptResult } from "./same-result.ts";

/** The last results of calls. It forgets: a new call takes the place of an old one. */
export interface RecentResults {
  /** Keeps a result and gives back the one before it, of the same call. */
  readonly swap: (hash: number, result: KeptResult) => KeptResult | undefined;
}

const WAYS = 4;

/**
 * Remembers about the last `limit` results in a table of fixed size. No map, because a map would read every fingerprint
 * and touch every entry it passes: here the hashes of the entries a call may be in lie next to each other.
 */
export function createRecentResults(limit: number): RecentResults {
  const sets = 2 ** Math.max(3, Math.ceil(Math.log2(limit / WAYS)) + 1);
  const hashes = new Int32Array(sets * WAYS);
  const uses = new Uint32Array(sets * WAYS);
  const results: KeptResult[] = [];
  let count = 0;
  return {
    swap: (hash, result) => {
      count += 1;
      const from = (hash & (sets - 1)) * WAYS;
      let chosen = from;
      let before: KeptResult | undefined;
      for (let place = from; place < from + WAYS; place += 1) {
        if (hashes[place] === hash && results[place]?.fingerprint === result.fingerprint) {
          chosen = place;
          before = results[place];
          break;
        }
        if ((uses[place] ?? 0) < (uses[chosen] ?? 0)) chosen = place;
      }
      hashes[chosen] = hash;
      uses[chosen] = count;
      results[chosen] = result;
      return before;
    },
  };
}
