import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it, vi } from "vitest";
import { isPhasekitError } from "@phasekit/core";
import { addItem } from "../items/add-item.ts";
import { defineContracts } from "../contract/define-contracts.ts";
import { describeWorkStore } from "../testing.ts";
import { createSqliteWorkStore } from "./sqlite-work-store.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const freshPath = (): string => join(folder, `${(files += 1)}.db`);

describeWorkStore("sqlite, in memory", () => createSqliteWorkStore({ path: ":memory:" }), { describe, it });
describeWorkStore("sqlite, in a file", () => createSqliteWorkStore({ path: freshPath(), acknowledge: "kernel" }), {
  describe,
  it,
});

describe("createSqliteWorkStore", () => {
  const contracts = defineContracts([{ phase: "plan" }]);

  it("createSqliteWorkStore finds what another opening of the file wrote", async () => {
    const path = freshPath();
    const first = createSqliteWorkStore({ path });
    const item = await addItem(first, { id: "A-1" }, { contracts });
    const second = createSqliteWorkStore({ path });
    expect((await second.load("A-1"))?.item).toEqual(item);
    first.close?.();
    expect(await second.list()).toEqual(["A-1"]);
    second.close?.();
  });

  it("createSqliteWorkStore says what an older Node lacks", () => {
    const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    expect(() => createSqliteWorkStore({ path: ":memory:" })).toThrow(
      expect.objectContaining({
        code: "NO_SQLITE",
        message: `Node ${process.version} has no built-in SQLite.`,
      }) as Error,
    );
    builtin.mockRestore();
  });

  it("createSqliteWorkStore refuses a file of a newer version and leaves it alone", () => {
    const path = freshPath();
    const database = new DatabaseSync(path);
    database.exec("pragma user_version = 99; create table later (x)");
    database.close();
    expect(() => createSqliteWorkStore({ path })).toThrow(
      "The store has schema version 99; this package supports up to 2.",
    );
    try {
      createSqliteWorkStore({ path });
    } catch (error) {
      expect(isPhasekitError(error, "NEWER_STORE")).toBe(true);
    }
  });

  it("createSqliteWorkStore adds the leases to a file of the first version", async () => {
    const path = freshPath();
    const first = createSqliteWorkStore({ path });
    const item = await addItem(first, { id: "A-1" }, { contracts });
    first.close?.();
    const database = new DatabaseSync(path);
    for (const column of ["lease", "lease_for", "lease_until", "rests"])
      database.exec(`alter table item drop column ${column}`);
    database.exec("pragma user_version = 1");
    database.close();
    const second = createSqliteWorkStore({ path });
    await second.commit({ item: { ...item, version: 1, revisionSince: item.createdAt }, expectedVersion: 0 });
    const { records } = await second.takeItems({ having: "revision", leaseMs: 1000, limit: 1 });
    expect(records.map(({ item: { id } }) => id)).toEqual(["A-1"]);
    second.close?.();
  });

  it("createSqliteWorkStore fails with a rejection, not a throw", async () => {
    const store = createSqliteWorkStore({ path: ":memory:" });
    store.close?.();
    await expect(store.load("A-1")).rejects.toThrow();
  });
});
