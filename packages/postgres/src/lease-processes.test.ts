import { buildSync } from "esbuild";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresLeaseStore } from "./postgres-lease-store.ts";

const pool = openPool();
const folder = mkdtempSync(join(import.meta.dirname, "..", ".leases-"));
const script = join(folder, "holder.mjs");
beforeAll(() => {
  buildSync({
    entryPoints: [`${import.meta.dirname}/__fixtures__/lease-holder.ts`],
    outfile: script,
    bundle: true,
    conditions: [SOURCE_CONDITION],
    format: "esm",
    platform: "node",
    external: ["pg"],
    logLevel: "error",
  });
});
afterAll(async () => {
  await pool.end();
  rmSync(folder, { recursive: true });
});

interface Holder {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly end: Promise<unknown>;
}

function start(schema: string, ...options: readonly string[]): Holder {
  const child = spawn(process.execPath, [script, inject("databaseUrl"), schema, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines, end: once(child, "close") };
}

async function withCounter(): Promise<string> {
  const schema = await freshSchema(pool);
  await pool.query(
    `create table "${schema}".counter (value integer, fence bigint); insert into "${schema}".counter values (0, 0)`,
  );
  return schema;
}
const counted = async (schema: string): Promise<number> =>
  Number((await pool.query<{ value: number }>(`select value from "${schema}".counter`)).rows[0]?.value);

describe("leases between processes", () => {
  it("four that count take turns: no step is lost, and every turn has a fence of its own", async () => {
    const schema = await withCounter();
    const holders = Array.from({ length: 4 }, () => start(schema, "15"));
    expect(await Promise.all(holders.map(({ end }) => end))).toEqual(holders.map(() => [0, null]));
    expect(await counted(schema)).toBe(60);
    const fences = holders.flatMap(({ lines }) => lines).filter((line) => line.startsWith("granted "));
    expect(new Set(fences).size).toBe(60);
  });

  it("one is killed with the lease: the next gets it when it expires, and a late write is refused", async () => {
    const schema = await withCounter();
    const doomed = start(schema, "1", "hang");
    while (doomed.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    doomed.child.kill("SIGKILL");
    await doomed.end;
    const next = start(schema, "1");
    expect(await next.end).toEqual([0, null]);
    const [, before] = doomed.lines[0]?.split(" ") ?? [];
    const [, after] = next.lines[0]?.split(" ") ?? [];
    expect(Number(after)).toBeGreaterThan(Number(before));
    // What the dead one would have done, had it only been asleep.
    const late = await pool.query({
      text: `update "${schema}".counter set value = 99, fence = $1 where fence < $1`,
      values: [before],
    });
    expect(late.rowCount).toBe(0);
    const store = createPostgresLeaseStore(pool, { schema });
    expect(await store.release({ resource: "counter", holder: "the dead one", fence: Number(before) })).toBe(false);
    expect(await counted(schema)).toBe(1);
  });
});
