// Random histories of a store, checked step by step against a model that is only a number: how many events there are.
import type { RunEvent } from "@phasekit/core";
import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { knownEvent, knownEvents, seeded } from "./__fixtures__/known-log.ts";
import { memoryFiles, type MemoryFiles } from "./__fixtures__/memory-files.ts";
import { openStore, RUN } from "./__fixtures__/scripted-life.ts";
import type { FileStore } from "./file-store.ts";
import type { Level } from "./waiters.ts";

const HISTORIES = depth({ quick: 10, full: 60, long: 2000 });
const STEPS = 60;
/** No clock ends it: the number of histories and steps is the bound, on a fast machine and on a busy one. */
const NO_LIMIT = 0;

interface World {
  readonly random: () => number;
  disk: MemoryFiles;
  store: FileStore;
  /** The last event of the log. */
  end: number;
  /** The last event that a power cut must leave. */
  durable: number;
  level: Level;
}

/** What may happen, and how often. */
const commands: readonly {
  readonly name: string;
  readonly weight: number;
  readonly run: (world: World) => Promise<void>;
}[] = [
  {
    name: "append",
    weight: 10,
    run: async (world) => {
      const count = 1 + Math.floor(world.random() * 6);
      world.level = world.random() < 0.3 ? "disk" : "kernel";
      await world.store.append(RUN, eventsOf(world.end + 1, world.end + count), { after: world.end });
      world.end += count;
      if (world.level === "disk") world.durable = world.end;
    },
  },
  {
    name: "several appends at once",
    weight: 3,
    run: async (world) => {
      world.level = world.random() < 0.5 ? "disk" : "kernel";
      const first = world.end;
      const count = 2 + Math.floor(world.random() * 20);
      await Promise.all(
        Array.from({ length: count }, (_, n) =>
          world.store.append(RUN, eventsOf(first + n + 1, first + n + 1), { after: first + n }),
        ),
      );
      world.end += count;
      if (world.level === "disk") world.durable = world.end;
    },
  },
  {
    name: "an append that does not fit",
    weight: 2,
    run: async (world) => {
      const after = world.end + 1 + Math.floor(world.random() * 3);
      await expect(world.store.append(RUN, eventsOf(after + 1, after + 1), { after })).rejects.toMatchObject({
        code: after > 0 && world.end === 0 ? /APPEND_CONFLICT|INVALID_APPEND/ : "APPEND_CONFLICT",
      });
    },
  },
  {
    name: "flush",
    weight: 1,
    run: async (world) => {
      await world.store.flush();
      world.durable = world.end;
    },
  },
  {
    name: "flushSync",
    weight: 1,
    run: (world) => {
      world.store.flushSync();
      world.durable = world.end;
      return Promise.resolve();
    },
  },
  { name: "read", weight: 2, run: async (world) => expect(await read(world.store)).toEqual(eventsOf(1, world.end)) },
  {
    name: "read from somewhere",
    weight: 2,
    run: async (world) => {
      const after = Math.floor(world.random() * (world.end + 2));
      expect(await read(world.store, after)).toEqual(eventsOf(after + 1, world.end));
    },
  },
  {
    name: "inspect",
    weight: 1,
    run: async (world) => {
      const { integrity, end, durable } = await world.store.inspect(RUN);
      expect([integrity, end]).toEqual(["whole", world.end]);
      expect(durable).toBeLessThanOrEqual(world.end);
    },
  },
  {
    name: "list",
    weight: 1,
    run: async (world) =>
      expect((await world.store.list()).map(({ seq }) => seq)).toEqual(world.end === 0 ? [] : [world.end]),
  },
  {
    name: "close",
    weight: 1,
    run: async (world) => {
      await world.store.close();
      world.durable = world.end;
      begin(world, world.disk);
    },
  },
  { name: "kill", weight: 2, run: (world) => comesBack(world, world.disk.copy(), world.end) },
  { name: "power cut", weight: 2, run: (world) => comesBack(world, world.disk.powerCut(world.random), world.durable) },
  {
    name: "remove",
    weight: 0.3,
    run: async (world) => {
      await world.store.remove(RUN);
      expect(world.disk.paths().filter((path) => path.includes("/runs/"))).toEqual([]);
      world.end = 0;
      world.durable = 0;
    },
  },
];

const eventsOf = (first: number, last: number): readonly RunEvent[] =>
  last < first ? [] : knownEvents(RUN, { first, last });

async function read(store: FileStore, after = 0): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of store.read(RUN, { after })) events.push(...batch);
  return events;
}

function begin(world: World, disk: MemoryFiles): void {
  world.disk = disk;
  world.store = openStore(disk, { segmentBytes: 1000 + Math.floor(world.random() * 6000), level: () => world.level });
}

/**
 * After a crash the log has everything that was promised, and perhaps more of what was tried; the model takes it from
 * there.
 */
async function comesBack(world: World, disk: MemoryFiles, promised: number): Promise<void> {
  begin(world, disk);
  const events = await read(world.store);
  expect(events.length).toBeGreaterThanOrEqual(promised);
  expect(events.length).toBeLessThanOrEqual(world.end);
  expect(events).toEqual(events.map((_, index) => knownEvent(RUN, index + 1)));
  world.end = events.length;
  // What a power cut left is on the disk; what a kill left may not be.
  world.durable = Math.min(world.durable, world.end);
  // The next append sets aside what the crash left behind the end, so that the log is whole again.
  world.level = "disk";
  await world.store.append(RUN, eventsOf(world.end + 1, world.end + 1), { after: world.end });
  world.end += 1;
  world.durable = world.end;
}

function pick(random: () => number): (typeof commands)[number] {
  let left = random() * commands.reduce((sum, { weight }) => sum + weight, 0);
  return commands.find(({ weight }) => (left -= weight) < 0) ?? commands[0]!;
}

describe("random histories", () => {
  it(
    `${String(HISTORIES)} of them, ${String(STEPS)} steps each, agree with the model`,
    { timeout: NO_LIMIT },
    async () => {
      const done: Record<string, number> = {};
      for (let seed = 1; seed <= HISTORIES; seed += 1) {
        const disk = memoryFiles();
        const world: World = {
          random: seeded(seed),
          disk,
          store: openStore(disk),
          end: 0,
          durable: 0,
          level: "kernel",
        };
        begin(world, disk);
        const history: string[] = [];
        for (let step = 0; step < STEPS; step += 1) {
          const { name, run } = pick(world.random);
          history.push(name);
          done[name] = (done[name] ?? 0) + 1;
          await run(world).catch((error: unknown) => {
            throw new Error(`seed ${String(seed)}: ${history.join(", ")}`, { cause: error });
          });
        }
        await world.store.close();
      }
      expect(Object.keys(done)).toHaveLength(commands.length);
    },
  );
});
