import type { Actor } from "./events/run-event.ts";
import { freezeDeep } from "./freeze-deep.ts";
import type { WantedMove } from "./moves.ts";
import type { EntryMetrics, RunView, StateKey, UsageTotals } from "./run-view.ts";
import type { ViewState } from "./view-state.ts";

/** A map that can be read but not changed. Its values are frozen when they are looked at. */
class ReadOnlyMap<K, V> implements ReadonlyMap<K, V> {
  readonly #map: ReadonlyMap<K, V>;

  constructor(map: ReadonlyMap<K, V>) {
    this.#map = map;
    Object.freeze(this);
  }

  get size(): number {
    return this.#map.size;
  }

  get [Symbol.toStringTag](): string {
    return "Map";
  }

  get(key: K): V | undefined {
    return freezeDeep(this.#map.get(key));
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  forEach(act: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) act(value, key, this);
  }

  entries(): MapIterator<[K, V]> {
    return this.#frozen().entries();
  }

  keys(): MapIterator<K> {
    return this.#map.keys();
  }

  values(): MapIterator<V> {
    return this.#frozen().values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  #frozen(): ReadonlyMap<K, V> {
    for (const value of this.#map.values()) freezeDeep(value);
    return this.#map;
  }
}

/**
 * The view policies read: the state of a run behind getters. It stays one live object, and nothing a policy does to it
 * changes the run: writing throws inside the policy, which is then recorded as its failure.
 */
export function createRunView(
  view: ViewState,
  { stateOf, mayMove }: { readonly stateOf: (key: string) => unknown; readonly mayMove: (move: WantedMove) => boolean },
): RunView<string> {
  const usage = liveCopy<UsageTotals>(() => view.usage);
  // The counters of the present entry, whichever that is.
  const entry = liveCopy<EntryMetrics>(() => view.entry);
  const pending = new ReadOnlyMap(view.pending);
  const alerts = new ReadOnlyMap(view.alerts);
  const reviews = new ReadOnlyMap(view.reviews);
  const children = new ReadOnlyMap(view.children);
  return Object.freeze({
    id: view.id,
    get task() {
      return freezeDeep(view.task);
    },
    get item() {
      return freezeDeep(view.item);
    },
    get parent() {
      return freezeDeep(view.parent);
    },
    get attempt() {
      return view.attempt;
    },
    mode: view.mode,
    get status() {
      return view.status;
    },
    graph: view.graph,
    get phase() {
      return view.phase;
    },
    get phaseEntry() {
      return view.phaseEntry;
    },
    get phaseStartedAt() {
      return view.phaseStartedAt;
    },
    get previousPhase() {
      return view.previousPhase;
    },
    entry,
    get now() {
      return view.now;
    },
    get startedAt() {
      return view.startedAt;
    },
    get seq() {
      return view.seq;
    },
    get turn() {
      return view.turn;
    },
    get turnsInPhase() {
      return view.turnsInPhase;
    },
    get iterations() {
      return view.iterations;
    },
    get toolCalls() {
      return view.toolCalls;
    },
    get activeMs() {
      return view.activeMs;
    },
    usage,
    get limits() {
      return freezeDeep(view.limits);
    },
    get compactions() {
      return view.compactions;
    },
    pending,
    get transitions() {
      return view.transitions;
    },
    get nudges() {
      return view.nudges;
    },
    alerts,
    reviews,
    children,
    get lastProgress() {
      return freezeDeep(view.lastProgress);
    },
    get stopped() {
      return freezeDeep(view.stopped);
    },
    get owed() {
      return freezeDeep(view.owed);
    },
    get outcome() {
      return freezeDeep(view.outcome);
    },
    isIn: (...phases: readonly string[]) => phases.includes(view.phase),
    canMove: (to: string, actor: Actor = "policy") => to !== view.phase && mayMove({ to, actor }),
    nudgeCount: (policy: string) => view.nudgeCounts.get(policy) ?? 0,
    read: <T>(key: StateKey<T>) => stateOf(key.name) as T | undefined,
  });
}

/** An object whose members are read anew each time they are looked at. */
function liveCopy<T extends object>(source: () => T): T {
  const copy = {};
  for (const key of Object.keys(source()) as (keyof T)[])
    Object.defineProperty(copy, key, { enumerable: true, get: () => source()[key] });
  return Object.freeze(copy) as T;
}
