import type { Pool } from "../database.ts";

/** A pool whose connection breaks at some queries: before the server has seen them, or after it has committed them. */
export function flakyPool(
  pool: Pool,
  breaks: (query: number) => "before" | "after" | undefined,
): { readonly pool: Pool; readonly broken: () => number } {
  let queries = 0;
  let broken = 0;
  const fail = (): never => {
    broken += 1;
    throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
  };
  return {
    pool: {
      on: (event, listener) => pool.on(event, listener),
      connect: () => pool.connect(),
      query: async (query) => {
        queries += 1;
        const how = breaks(queries);
        if (how === "before") fail();
        const answer = await pool.query(query);
        if (how === "after") fail();
        return answer;
      },
    },
    broken: () => broken,
  };
}
