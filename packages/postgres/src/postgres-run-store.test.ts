import { describeRunStore } from "@phasekit/ledger/testing";
import { afterAll, describe, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { createPostgresRunStore } from "./postgres-run-store.ts";

const pool = openPool();
afterAll(() => pool.end());

describeRunStore("postgres", async () => createPostgresRunStore(pool, { schema: await freshSchema(pool), pollMs: 5 }), {
  describe,
  it,
});
