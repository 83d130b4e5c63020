import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { createMemoryWorkStore, type WorkStore } from "../src/index.ts";
import { createSqliteWorkStore } from "../src/sqlite.ts";
import { checkHistory } from "./check-history.ts";
import { playHistory, startTime } from "./play-history.ts";

/** Stores that break one promise each: the check has to notice. */
const broken: readonly { readonly name: string; readonly breaking: (store: WorkStore) => WorkStore }[] = [
  {
    name: "writes whatever the version",
    breaking: (store) => ({
      ...store,
      commit: async (change) => {
        const version = (await store.load(change.item.id))?.item.version ?? 0;
        return store.commit({ ...change, expectedVersion: version, item: { ...change.item, version: version + 1 } });
      },
    }),
  },
  {
    name: "forgets hooks once they are taken",
    breaking: (store) => ({
      ...store,
      takeHooks: async (options) => {
        const taken = await store.takeHooks(options);
        for (const { id } of taken) await store.settleHook(id, { delivered: true });
        return taken;
      },
    }),
  },
  {
    name: "writes the item without the rest",
    breaking: (store) => {
      let commits = 0;
      return {
        ...store,
        commit: ({ item, expectedVersion, ...rest }) =>
          store.commit({ item, expectedVersion, ...((commits += 1) % 20 === 0 ? {} : rest) }),
      };
    },
  },
];

describe("the check of histories", () => {
  it.each(broken)("notices a store that $name", async ({ breaking }) => {
    let noticed = false;
    for (let seed = 1; seed <= 300 && !noticed; seed += 1) {
      const time = startTime();
      const store = createMemoryWorkStore({ clock: () => time.now });
      noticed = (await checkHistory(store, await playHistory(breaking(store), seed, { time }))).length > 0;
    }
    expect(noticed).toBe(true);
  });
});

describe("random histories: agents, judges, time and crashes between any two steps", () => {
  it.each([
    {
      name: "memory",
      histories: depth({ quick: 60, full: 300, long: 10_000 }),
      make: (clock: () => number) => createMemoryWorkStore({ clock }),
    },
    {
      name: "SQLite",
      histories: depth({ quick: 60, full: 300, long: 10_000 }),
      make: (clock: () => number) => createSqliteWorkStore({ path: ":memory:", clock }),
    },
  ])(
    "on $name: no lost claim, no double advancement, consistent metrics, every hook delivered",
    async ({ histories, make }) => {
      const seen = { advances: 0, rejected: 0, stale: 0, held: 0 };
      for (let seed = 1; seed <= histories; seed += 1) {
        const time = startTime();
        const store = make(() => time.now);
        const played = await playHistory(store, seed, { time });
        const problems = await checkHistory(store, played);
        expect(problems, `seed ${seed}`).toEqual([]);
        for (const id of played.items) {
          const record = (await store.load(id))!;
          seen.advances += record.item.entry - 1;
          seen.rejected += record.claims.filter(({ outcome }) => outcome === "rejected").length;
          seen.stale += record.claims.filter(({ outcome }) => outcome === "stale").length;
          seen.held += (await store.history(id)).comments.filter(({ kind }) => kind === "hold").length;
        }
        store.close?.();
      }
      // The histories are about something.
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(histories / 50);
    },
  );
});
