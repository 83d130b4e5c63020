// A worker process: decides claims and delivers messages in ticks, and reports what it did. It begins with the first
// line on its input, so that several begin together.
import { createPipeline, defineContracts } from "@phasekit/contracts";
import { once } from "node:events";
import { Pool } from "pg";
import { createPostgresWorkStore } from "../postgres-work-store.ts";

const [url = "", schema = "", mode = "once", leaseMs = "30000"] = process.argv.slice(2);
const report = (line: string): void => void process.stdout.write(`${line}\n`);
const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5000 });
await pool.query("select 1");
let queries = 0;
const store = createPostgresWorkStore(
  {
    on: (event, listener) => pool.on(event, listener),
    connect: () => pool.connect(),
    query: (query) => {
      queries += 1;
      return pool.query(query);
    },
  },
  { schema, patienceMs: 120_000, notifications: false },
);
let refused = 0;
const counted: typeof store = {
  ...store,
  commit: async (change) => {
    const done = await store.commit(change);
    if (!done) refused += 1;
    return done;
  },
};

const pipeline = createPipeline({
  store: counted,
  contracts,
  leaseMs: Number(leaseMs),
  deliver: ({ id }) => report(`delivered ${id}`),
});

async function tick(): Promise<void> {
  const { advanced, failed } = await pipeline.tick();
  for (const { claim } of advanced) report(`advanced ${claim}`);
  for (const { item, error } of failed) report(`failed ${item} ${String(error)}`);
}

report("ready");
await once(process.stdin, "data");
do await tick();
while (mode === "loop");
report(`queries ${String(queries)}`);
report(`refused ${String(refused)}`);
await pool.end();
// Lines that are still on their way would be lost.
process.stdout.write("", () => process.exit(0));
