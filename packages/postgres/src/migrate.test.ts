import { createPipeline, defineContracts } from "@phasekit/contracts";
import { isPhasekitError } from "@phasekit/core";
import { afterAll, describe, expect, it } from "vitest";
import { openPool, schemaName } from "./__fixtures__/fresh-schema.ts";
import { migrate } from "./migrate.ts";
import { initial } from "./migrations/0001-initial.ts";
import { workLeases } from "./migrations/0002-work-leases.ts";
import { createPostgresWorkStore } from "./postgres-work-store.ts";

const pool = openPool();
afterAll(() => pool.end());

describe("migrate", () => {
  it("makes the tables once, and then finds them", async () => {
    const schema = schemaName();
    expect((await migrate(pool, { schema })).applied.map(({ version, name }) => [version, name])).toEqual([
      [1, "initial"],
      [2, "work-leases"],
      [3, "code-and-text"],
    ]);
    expect(await migrate(pool, { schema })).toEqual({ version: 3, applied: [] });
  });

  it("64 at the same time, each on its own connection: all succeed, one does it", async () => {
    const schema = schemaName();
    const many = openPool(64);
    const reports = await Promise.all(Array.from({ length: 64 }, () => migrate(many, { schema })));
    await many.end();
    expect(reports.map(({ version }) => version)).toEqual(Array.from({ length: 64 }, () => 3));
    expect(reports.filter(({ applied }) => applied.length > 0).length).toBe(1);
  });

  it("a dry run says what it would do and leaves nothing", async () => {
    const schema = schemaName();
    const report = await migrate(pool, { schema, dryRun: true });
    expect(report.version).toBe(0);
    expect(report.applied[0]?.sql).toContain(`create table "${schema}".run`);
    expect(
      (await pool.query({ text: "select 1 from information_schema.schemata where schema_name = $1", values: [schema] }))
        .rows,
    ).toEqual([]);
  });

  it("refuses tables of a newer version, and a migration with different content", async () => {
    const schema = schemaName();
    await migrate(pool, { schema });
    await pool.query(`insert into "${schema}".migration (version, name, checksum) values (99, 'later', 'x')`);
    await expect(migrate(pool, { schema })).rejects.toMatchObject({
      code: "NEWER_SCHEMA",
      message: "The database has schema version 99; this package knows 3.",
    });
    await pool.query(
      `delete from "${schema}".migration where version = 99; update "${schema}".migration set checksum = 'other'`,
    );
    await expect(migrate(pool, { schema })).rejects.toMatchObject({ code: "CHANGED_MIGRATION" });
  });

  it.each(['x"; drop table run; --', "", "Upper", "a-b", "1a", "x".repeat(64), "public.run"])(
    "refuses %j as the name of a schema",
    async (schema) => {
      const error = await migrate(pool, { schema }).catch((problem: unknown) => problem);
      expect(isPhasekitError(error, "INVALID_OPTION")).toBe(true);
    },
  );

  it("separates code and text of claims and messages that version 2 wrote", async () => {
    const schema = schemaName();
    // Version 2, with rows as its store wrote them.
    await pool.query(`create schema "${schema}"; ${initial.sql(`"${schema}"`)} ${workLeases.sql(`"${schema}"`)}`);
    const store = createPostgresWorkStore(pool, { schema });
    await createPipeline({ store, contracts: defineContracts([{ phase: "plan" }]) }).add({ id: "T-1" });
    const old = (outcome: string, rejection_reason?: string, fix_instructions?: string): object => ({
      item_id: "T-1",
      processed: true,
      outcome,
      processed_at: "2026-01-01T00:00:00.000Z",
      rejection_reason,
      fix_instructions,
    });
    const claims = [
      old("rejected", 'verdict_rejected: zero: \0, half: \ud800 and "quotes"', "First.\nSecond: \0."),
      old("rejected", "contract_version: The claim has contract_version 9; the contract has 1.", "Claim again."),
      old("advanced"),
      old("stale", "Another claim advanced the item: id-3"),
      old("stale", 'The claim is for "ready"; the item is in "plan".'),
      old("stale", 'The claim belongs to an earlier entry of phase "plan".'),
      old("stale", 'Item "T-1" has completed its last phase.'),
    ];
    for (const [index, body] of [...claims, { processed: false, summary: "waits" }].entries())
      await pool.query({
        text: `insert into "${schema}".finding (kind, id, item_id, is_open, body) values ('claim', $1, 'T-1', $2, $3)`,
        values: [`id-${String(index)}`, index === claims.length, JSON.stringify(body)],
      });
    const message = (id: string, name: string, payload: object): string =>
      JSON.stringify({ id, itemId: "T-1", name, payload, at: "2026-01-01T00:00:00.000Z" });
    const waiting = [
      message("m-1", "phase_reject", {
        item: "T-1",
        claim: "a",
        reason: "check_failed",
        text: 'a \0 "reason":',
        fix: "",
      }),
      message("m-2", "phase_advance", { item: "T-1", from: "plan", to: "build", claim: "b", by: "judge" }),
      message("m-3", "phase_skip", { item: "T-1", phases: [], reason: "small", claim: "b" }),
    ];
    for (const body of waiting)
      await pool.query({
        text: `insert into "${schema}".outbox (id, item_id, body) values ($1, 'T-1', $2)`,
        values: [(JSON.parse(body) as { readonly id: string }).id, body],
      });
    await pool.query(
      `create table "${schema}".migration (
        version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())`,
    );
    for (const { version, name, sql } of [initial, workLeases])
      await pool.query({
        text: `insert into "${schema}".migration (version, name, checksum)
          values ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))`,
        values: [version, name, sql("phasekit")],
      });

    expect((await migrate(pool, { schema })).applied.map(({ name }) => name)).toEqual(["code-and-text"]);
    const upgraded = (await store.load("T-1"))?.claims ?? [];
    expect(upgraded.map(({ outcome, code, text, fix }) => [outcome, code, text, fix])).toEqual([
      ["rejected", "verdict_rejected", 'zero: \0, half: \ud800 and "quotes"', "First.\nSecond: \0."],
      ["rejected", "contract_version", "The claim has contract_version 9; the contract has 1.", "Claim again."],
      ["advanced", "unknown", "", undefined],
      ["stale", "superseded", "Another claim advanced the item: id-3", undefined],
      ["stale", "stale_phase", 'The claim is for "ready"; the item is in "plan".', undefined],
      ["stale", "stale_entry", 'The claim belongs to an earlier entry of phase "plan".', undefined],
      ["stale", "item_completed", 'Item "T-1" has completed its last phase.', undefined],
      [undefined, undefined, undefined, undefined],
    ]);
    expect(upgraded[0]).toEqual({
      item_id: "T-1",
      processed: true,
      outcome: "rejected",
      processed_at: "2026-01-01T00:00:00.000Z",
      code: "verdict_rejected",
      text: 'zero: \0, half: \ud800 and "quotes"',
      fix: "First.\nSecond: \0.",
    });
    const bodies = (await pool.query(`select body from "${schema}".outbox order by place`)).rows as {
      readonly body: string;
    }[];
    expect(bodies.map(({ body }) => (JSON.parse(body) as { readonly payload: object }).payload)).toEqual([
      { item: "T-1", claim: "a", code: "check_failed", text: 'a \0 "reason":', fix: "" },
      { item: "T-1", from: "plan", to: "build", claim: "b", code: "judge" },
      { item: "T-1", phases: [], reason: "small", claim: "b" },
    ]);
  });

  it("a migration that is cut off leaves nothing half done", async () => {
    const schema = schemaName();
    const cut = openPool(1);
    cut.on("error", () => undefined);
    // The server ends the connection in the middle of its transaction.
    const client = await cut.connect();
    client.on("error", () => undefined);
    await client.query(
      `begin; create schema "${schema}";
       create table "${schema}".migration (
        version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())`,
    );
    const [row] = (await client.query("select pg_backend_pid() as pid")).rows as { readonly pid: number }[];
    await pool.query({ text: "select pg_terminate_backend($1)", values: [row?.pid] });
    client.release(true);
    await cut.end();
    expect((await migrate(pool, { schema })).version).toBe(3);
  });
});
