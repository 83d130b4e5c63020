/** Adds to a list that keeps only its newest `limit` items. */
export function pushBounded<T>(items: T[], item: T, limit: number): void {
  items.push(item);
  if (items.length > limit) items.shift();
}

/** A frozen copy of a list with one more item at its end, of which only the newest `limit` are kept. */
export function appendBounded<T>(items: readonly T[], item: T, limit: number): readonly T[] {
  return Object.freeze([...(items.length < limit ? items : items.slice(1 - limit)), item]);
}

/** Sets a key and makes it the newest; the oldest key goes when there are more than `limit`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > limit) {
    const oldest = map.keys().next();
    if (!oldest.done) map.delete(oldest.value);
  }
}

/** Recent keys: between `limit` and twice as many. Half of them are forgotten together, which costs little per key. */
export interface Recent {
  fresh: Set<string>;
  older: Set<string>;
}

export function addRecent(recent: Recent, key: string, limit: number): void {
  recent.fresh.add(key);
  if (recent.fresh.size < limit) return;
  recent.older = recent.fresh;
  recent.fresh = new Set();
}

export function isRecent({ fresh, older }: Recent, key: string): boolean {
  return fresh.has(key) || older.has(key);
}
