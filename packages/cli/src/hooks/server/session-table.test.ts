import { describe, expect, it } from "vitest";
import { createSessionTable, type SessionTable } from "./session-table.ts";

function table({ maxSessions = 128, memory = 0 }: { readonly maxSessions?: number; readonly memory?: number } = {}) {
  let now = 0;
  const made = createSessionTable<number>({ clock: () => now, maxSessions, memory: () => memory });
  return { ...made, wait: (ms: number) => void (now += ms) };
}

/** Uses sessions one after the other, as servers see agents that work side by side; how many were not in memory. */
function misses(sessions: SessionTable<number>, count: number, rounds: number): number {
  let missed = 0;
  for (let round = 0; round < rounds; round += 1)
    for (let session = 0; session < count; session += 1)
      if (sessions.use(String(session)) === undefined) {
        sessions.add(String(session), session);
        if (round > 0) missed += 1;
      }
  return missed;
}

describe("createSessionTable", () => {
  it("keeps all sessions as long as there is room", () => {
    expect(misses(table(), 128, 10)).toBe(0);
  });

  it("gives up some of many sessions that take turns, not all of them", () => {
    // The oldest first would be as many as there are sessions, in each round.
    expect(misses(table(), 180, 11) / 10).toBeLessThan(90);
    expect(misses(table(), 130, 11) / 10).toBeLessThan(20);
  });

  it("gives up sessions first that were not used for long, and returns their names", () => {
    const { add, use, wait, size } = table();
    for (let session = 0; session < 64; session += 1) add(String(session), 1);
    wait(20 * 60_000);
    for (let session = 2; session < 64; session += 1) use(String(session));
    wait(20 * 60_000);
    expect(add("new", 1)).toEqual(["0", "1"]);
    expect(size()).toBe(63);
  });

  it("gives up sessions when memory is short, and only if there are many", () => {
    const few = table({ maxSessions: 1000, memory: Infinity });
    expect(misses(few, 200, 2)).toBe(0);
    const many = table({ maxSessions: 1000, memory: Infinity });
    misses(many, 500, 1);
    expect(many.size()).toBeLessThan(500);
  });

  it("lists the session that was used last first", () => {
    const { add, use, newestFirst } = table();
    for (const key of ["a", "b", "c"]) add(key, 1);
    use("a");
    expect(newestFirst().map(([key]) => key)).toEqual(["a", "c", "b"]);
  });
});
