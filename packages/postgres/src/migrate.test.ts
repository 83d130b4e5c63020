import { isPhasekitError } from "@phasekit/core";
import { afterAll, describe, expect, it } from "vitest";
import { openPool, schemaName } from "./__fixtures__/fresh-schema.ts";
import { migrate } from "./migrate.ts";

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
