import type { Lease, LeaseAnswer, LeaseStatus, LeaseStore } from "@phasekit/orchestrator";
import { type DatabaseOptions, guardPool, type Pool, quotedSchema } from "./database.ts";
import { withPatience } from "./patience.ts";

export interface PostgresLeaseStoreOptions extends DatabaseOptions {
  /** Waiting holders per resource; one more is refused. @default 100 */
  readonly maxQueue?: number;
}

/**
 * Leases for workers on many machines: the clock of the database decides, never that of a worker. Every call is one
 * statement. Run `migrate` first.
 *
 * @example
 * const leases = createPostgresLeaseStore(pool);
 * const answer = await leases.acquire({ resource: "deploy", holder: "worker-1", ttlMs: 30_000, maxHoldMs: 600_000 });
 */
export function createPostgresLeaseStore(
  pool: Pool,
  { schema: name, patienceMs = 30_000, maxQueue = 100 }: PostgresLeaseStoreOptions = {},
): LeaseStore {
  const schema = quotedSchema(name);
  guardPool(pool);

  async function call(name: string, values: (isUncertain: boolean) => readonly unknown[]): Promise<unknown> {
    return withPatience(patienceMs, async (isUncertain) => {
      const given = [...values(isUncertain)];
      const parameters = given.map((_, index) => `$${String(index + 1)}`);
      const [row] = (
        await pool.query({
          text: `select ${schema}.lease_${name}(${parameters.join(", ")}) as answer`,
          values: given,
        })
      ).rows;
      return row?.["answer"];
    });
  }

  return {
    acquire: async ({ resource, holder, ttlMs, maxHoldMs, takeOver = false }) =>
      (await call("acquire", () => [resource, holder, ttlMs, maxHoldMs, takeOver, maxQueue])) as LeaseAnswer,
    renew: async ({ resource, holder, fence, ttlMs }) =>
      ((await call("renew", () => [resource, holder, fence, ttlMs])) as Lease | null) ?? undefined,
    // A release whose answer was lost is recognized by its fence.
    release: async ({ resource, holder, fence }) =>
      (await call("release", (isUncertain) => [resource, holder, fence, isUncertain])) === true,
    withdraw: async ({ resource, holder }) => (await call("withdraw", () => [resource, holder])) === true,
    status: async (resource) => {
      const { lease, queue } = (await call("status", () => [resource])) as {
        readonly lease: Lease | null;
        readonly queue: LeaseStatus["queue"];
      };
      return { lease: lease ?? undefined, queue };
    },
    forceRelease: async (resource) => (await call("force", () => [resource])) === true,
  };
}
