import { Pool } from "pg";
import { inject } from "vitest";
import { migrate } from "../migrate.ts";

let made = 0;

/** A pool on the tests' server. A test that ends connections ends those of one name: the others are of other tests. */
export function openPool(max = 10, name = "tests"): Pool {
  return new Pool({ connectionString: inject("databaseUrl"), max, application_name: name });
}

export function schemaName(): string {
  made += 1;
  return `t${String(process.pid)}_${String(made)}`;
}

/** A schema with empty tables of its own. */
export async function freshSchema(pool: Pool): Promise<string> {
  const schema = schemaName();
  await migrate(pool, { schema });
  return schema;
}
