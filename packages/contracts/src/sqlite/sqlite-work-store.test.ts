import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it, vi } from "vitest";
import { isPhasekitError } from "@phasekit/core";
import { addItem } from "../items/add-item.ts";
import { deliverHooks } from "../items/deliver-hooks.ts";
import type { HookMessage } from "../stores/work-store.ts";
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
      "The store has schema version 99; this package supports up to 3.",
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

  it("createSqliteWorkStore separates code and text in a file that version 2 wrote", async () => {
    const path = freshPath();
    const database = new DatabaseSync(path);
    database.exec(readFileSync(join(import.meta.dirname, "../../test/stores/work-v2.sql"), "utf8"));
    database.close();
    const store = createSqliteWorkStore({ path });
    const { claims = [] } = (await store.load("T-1")) ?? {};
    const said = 'zero: \0 and "quotes"';
    expect(claims.map(({ outcome, code, text, fix }) => [outcome, code, text, fix])).toEqual([
      [
        "rejected",
        "contract_version",
        "The claim has contract_version 9; the contract has 1.",
        'Read the contract of "plan" again and claim with contract_version 1.',
      ],
      ["stale", "stale_phase", 'The claim is for "ready"; the item is in "plan".', undefined],
      ["advanced", "unknown", "", undefined],
      ["stale", "superseded", "Another claim advanced the item: id-3", undefined],
      ["rejected", "verdict_rejected", said, "First.\nSecond: \0."],
      ["rejected", "verdict_rejected", said, "First.\nSecond: \0."],
    ]);
    expect(JSON.stringify(claims)).not.toMatch(/rejection_reason|fix_instructions/);
    const messages: HookMessage[] = [];
    await deliverHooks(store, { deliver: (message) => void messages.push(message) });
    expect(
      messages
        .filter(({ name }) => name === "phase_reject" || name === "phase_advance")
        .map(({ name, payload: { code, reason, by } }) => [name, code, reason, by]),
    ).toEqual([
      ["phase_reject", "contract_version", undefined, undefined],
      ["phase_advance", "structural", undefined, undefined],
      ["phase_reject", "verdict_rejected", undefined, undefined],
      ["phase_reject", "verdict_rejected", undefined, undefined],
    ]);
    store.close?.();
    // Once: a second opening changes nothing.
    const again = createSqliteWorkStore({ path });
    expect((await again.load("T-1"))?.claims).toEqual(claims);
    again.close?.();
  });

  it("createSqliteWorkStore fails with a rejection, not a throw", async () => {
    const store = createSqliteWorkStore({ path: ":memory:" });
    store.close?.();
    await expect(store.load("A-1")).rejects.toThrow();
  });
});
