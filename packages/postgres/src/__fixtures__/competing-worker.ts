// Advances every item it finds, with four claims for every stay, until all are through. Tells its parent what it was
// told.
import type { WorkItem } from "@phasekit/contracts";
import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { createPostgresWorkStore } from "../postgres-work-store.ts";

const [url = "", schema = "", entries = "10"] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5000 });
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const store = createPostgresWorkStore(
  {
    on: (event, listener) => pool.on(event, listener),
    connect: () => pool.connect(),
    query: async (query) => {
      try {
        return await pool.query(query);
      } catch (error) {
        // Whether this one happened has to be found out.
        if (typeof query === "object" && query.text.includes("commit_change")) tell("unsure");
        throw error;
      }
    },
  },
  { schema, patienceMs: 120_000 },
);
const worker = randomUUID();

async function claim(item: WorkItem, n: number): Promise<void> {
  const claimId = `${worker}/${item.id}/${String(item.entry)}/${String(n)}`;
  const won = await store.commit({
    item: { ...item, version: item.version + 1, entry: item.entry + 1 },
    expectedVersion: item.version,
    advance: {
      itemId: item.id,
      entry: item.entry,
      from: item.phase,
      to: item.phase,
      claimId,
      at: new Date().toISOString(),
    },
    hooks: [
      {
        id: `${item.id}@${String(item.version)}`,
        itemId: item.id,
        name: "phase_advance",
        payload: {},
        at: new Date().toISOString(),
      },
    ],
  });
  tell(`${won ? "won" : "lost"} ${item.id} ${String(item.entry)} ${claimId}`);
}

for (let open = true; open;) {
  open = false;
  for (const id of await store.list()) {
    const record = await store.load(id);
    if (record === undefined || record.item.entry > Number(entries)) continue;
    open = true;
    await Promise.all([0, 1, 2, 3].map((n) => claim(record.item, n)));
  }
}
await pool.end();
