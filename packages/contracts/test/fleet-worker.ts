// One of many processes on one SQLite file: claims, decides and delivers until nothing is left or it is killed.
import { appendFileSync } from "node:fs";
import { deliverHooks } from "../src/items/deliver-hooks.ts";
import { processClaims } from "../src/claims/process-claims.ts";
import { submitClaim } from "../src/claims/submit-claim.ts";
import { processClaim } from "../src/claims/process-claims.ts";
import { createSqliteWorkStore } from "../src/sqlite.ts";
import { createRandom } from "./random.ts";
import { contracts, JUDGE } from "./fleet-pipeline.ts";

const [path = "", log = "", seed = "1", rivals = "4"] = process.argv.slice(2);
const random = createRandom(Number(seed));
const store = createSqliteWorkStore({ path, acknowledge: "kernel", busyTimeoutMs: 60_000 });
const options = { contracts };
const deliver = ({ id, name }: { readonly id: string; readonly name: string }): void =>
  appendFileSync(log, `${id} ${name}\n`);

for (;;) {
  // Completed items are in review.
  const open = await store.list({ status: "backlog", limit: 100_000 });
  if (open.length === 0) break;
  for (let tries = 0; tries < 50; tries += 1) {
    const id = random.pick(open);
    const item = (await store.load(id))?.item;
    if (item === undefined || item.completed) continue;
    // Every rival claims the stay once; another process may be doing the same at this moment.
    for (let rival = 0; rival < Number(rivals); rival += 1) {
      const input = {
        item: id,
        completed_phase: item.phase,
        contract_version: 1,
        recommended_next_phase: contracts.byPhase[item.phase]?.next_phase ?? null,
      };
      const claim = await submitClaim(store, input, { ...options, idempotencyKey: `${item.entry}-${rival}` });
      if (random.chance(0.3)) await processClaim(store, { item: id, claim: claim.id }, options);
    }
  }
  if (random.chance(0.2)) await processClaims(store, { ...options, judge: JUDGE });
  await deliverHooks(store, { deliver, leaseMs: 2000 });
}
store.close?.();
