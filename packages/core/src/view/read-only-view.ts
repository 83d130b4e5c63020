import type { Actor } from "../events/run-event.ts";
import { freezeDeep } from "../text/freeze-deep.ts";
import type { WantedMove } from "../graph/moves.ts";
import { RunFields } from "./run-fields.ts";
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

/** Answers of a view that are not fields. */
export interface ViewQuestions {
  readonly stateOf: (key: string) => unknown;
  readonly mayMove: (move: WantedMove) => boolean;
}

/**
 * The view policies read: the fields of a run behind getters. It stays one live object, and nothing a policy does to it
 * changes the run: writing throws inside the policy, which is then recorded as its failure.
 */
export function createRunView(view: ViewState, questions: ViewQuestions): RunView<string> {
  // The constructor defines a getter for every field, which TypeScript cannot see.
  return new ReadOnlyView(view, questions) as unknown as RunView<string>;
}

interface ViewLayout {
  readonly getters: PropertyDescriptorMap;
  readonly maps: readonly ("pending" | "alerts" | "reviews" | "children")[];
}

class ReadOnlyView {
  /** Shared by all views: getters of a view's own would be slower to make and to call. */
  static #layout: ViewLayout | undefined;
  readonly #view: ViewState;

  constructor(view: ViewState, { stateOf, mayMove }: ViewQuestions) {
    const { getters, maps } = (ReadOnlyView.#layout ??= ReadOnlyView.#layoutOf(new RunFields(view)));
    this.#view = view;
    Object.defineProperties(this, getters);
    for (const key of maps) define(this, key, new ReadOnlyMap<string, unknown>(view[key]));
    // Counters change in place, and every entry has its own.
    define(
      this,
      "entry",
      liveCopy<EntryMetrics>(() => view.entry),
    );
    define(
      this,
      "usage",
      liveCopy<UsageTotals>(() => view.usage),
    );
    define(this, "isIn", (...phases: readonly string[]) => phases.includes(view.phase));
    define(this, "canMove", (to: string, actor: Actor = "policy") => to !== view.phase && mayMove({ to, actor }));
    define(this, "nudgeCount", (policy: string) => view.nudgeCounts.get(policy) ?? 0);
    define(this, "read", <T>(key: StateKey<T>) => stateOf(key.name) as T | undefined);
    Object.freeze(this);
  }

  static #layoutOf(fields: RunFields): ViewLayout {
    const keys = Object.keys(fields) as (keyof RunFields)[];
    const isMap = (key: keyof RunFields): key is ViewLayout["maps"][number] => fields[key] instanceof Map;
    const plain = keys.filter((key) => !isMap(key) && key !== "entry" && key !== "usage");
    const getterOf = (key: keyof RunFields): PropertyDescriptor => ({
      enumerable: true,
      get(this: ReadOnlyView) {
        return freezeDeep(this.#view[key]);
      },
    });
    return { getters: Object.fromEntries(plain.map((key) => [key, getterOf(key)])), maps: keys.filter(isMap) };
  }
}

function define(view: object, key: keyof RunView, value: unknown): void {
  Object.defineProperty(view, key, { enumerable: true, value });
}

/** An object whose members are read anew each time they are looked at. */
function liveCopy<T extends object>(source: () => T): T {
  const copy = {};
  for (const key of Object.keys(source()) as (keyof T)[])
    Object.defineProperty(copy, key, { enumerable: true, get: () => source()[key] });
  return Object.freeze(copy) as T;
}
