import { describeWorkStore } from "@phasekit/contracts/testing";
import { afterAll, describe, it } from "vitest";
import { freshSchema, openPool } from "./__fixtures__/fresh-schema.ts";
import { postgresWorkStore } from "./postgres-work-store.ts";

const pool = openPool();
afterAll(() => pool.end());

describeWorkStore("postgres", async () => postgresWorkStore(pool, { schema: await freshSchema(pool) }), { describe, it });
