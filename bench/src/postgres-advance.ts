import { createPipeline, type Claim, type WorkChange, type WorkItem, defineContracts } from "@phasekit/contracts";
import { createPostgresWorkStore } from "@phasekit/postgres";
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";

const AT = "2026-01-01T00:00:00.000Z";

/** Items of a schema, and how their next steps are decided. */
export interface Contest {
  /** Every item makes one step: `rivals` claims compete for it, and `workers` take one claim after the other. */
  readonly round: (options: { readonly workers: number; readonly rivals: number }) => Promise<void>;
}

/** Creates items. `decide` writes a change; it returns false if another one was faster. */
export async function createContest(
  pool: Pool,
  {
    schema,
    items: count,
    decide,
  }: {
    readonly schema: string;
    readonly items: number;
    readonly decide: (change: WorkChange, rival: number) => Promise<boolean>;
  },
): Promise<Contest> {
  const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
  const items: WorkItem[] = [];
  const store = createPostgresWorkStore(pool, { schema, notifications: false });
  for (let n = 0; n < count; n += 1) items.push(await createPipeline({ store, contracts }).add({ id: randomUUID() }));
  return {
    round: async ({ workers, rivals }) => {
      const claims = items.flatMap((item, place) =>
        Array.from({ length: rivals }, (_, rival) => ({ place, rival, change: advancement(item, rival) })),
      );
      let won = 0;
      let next = 0;
      const work = async (): Promise<void> => {
        for (let claim = claims[next++]; claim !== undefined; claim = claims[next++]) {
          if (!(await decide(claim.change, claim.rival))) continue;
          items[claim.place] = claim.change.item;
          won += 1;
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
      if (won !== items.length) throw new Error(`${String(items.length)} steps were won ${String(won)} times`);
    },
  };
}

/** The change of an advancement: the item, its claim, the step with a comment, and two messages. */
function advancement(item: WorkItem, rival: number): WorkChange {
  const claim: Claim = {
    id: `${item.id}/${String(item.entry)}/${String(rival)}`,
    idempotency_key: `${item.id}/${String(item.entry)}/${String(rival)}`,
    category: "phase_completion",
    item_id: item.id,
    run_id: null,
    entry: item.entry,
    contract_hash: null,
    snapshot: null,
    content_hash: "",
    created_at: AT,
    processed: true,
    outcome: "advanced",
    processed_at: AT,
    summary: "The plan is written and was read.",
    completed_phase: item.phase,
    contract_version: 1,
    recommended_next_phase: null,
    artifact_path: null,
    artifact_hash: null,
    confidence: "high",
    open_questions: [],
    promote_to: null,
    promote_base_hash: null,
    skip_to: null,
    skip_reason: null,
  };
  return {
    item: { ...item, version: item.version + 1, entry: item.entry + 1 },
    expectedVersion: item.version,
    claims: [claim],
    advance: { itemId: item.id, entry: item.entry, from: item.phase, to: item.phase, claimId: claim.id, at: AT },
    comments: [{ kind: "advance", text: "The claim was accepted.", at: AT }],
    hooks: (["phase_advance", "on-phase-advance"] as const).map((name) => ({
      id: `${item.id}@${String(item.version)}/${name}`,
      itemId: item.id,
      name,
      payload: {},
      at: AT,
    })),
  };
}

/** Writes a change as is usual: lock, look, then write table by table. */
export async function inSeveralStatements(
  pool: Pool,
  schema: string,
  { item, expectedVersion, claims = [], advance, comments, hooks = [] }: WorkChange,
): Promise<boolean> {
  const client = await pool.connect();
  const ask = (
    name: string,
    text: string,
    ...values: unknown[]
  ): Promise<{ readonly rows: readonly { readonly version?: string }[] }> => client.query({ name, text, values });
  try {
    await client.query("begin");
    const { rows } = await ask("lock", `select version from ${schema}.item where id = $1 for update`, item.id);
    if (Number(rows[0]?.version) !== expectedVersion) {
      await client.query("rollback");
      return false;
    }
    for (const claim of claims)
      await ask(
        "claim",
        `insert into ${schema}.finding (kind, id, item_id, idempotency_key, is_open, body) values ('claim', $1, $2, $3, false, $4)`,
        claim.id,
        item.id,
        claim.idempotency_key,
        JSON.stringify(claim),
      );
    await ask(
      "step",
      `insert into ${schema}.change (item_id, version, id, entry, claim_id, advance, comments) values ($1, $2, $3, $4, $5, $6, $7)`,
      item.id,
      item.version,
      randomUUID(),
      advance?.entry,
      advance?.claimId,
      JSON.stringify(advance),
      JSON.stringify(comments),
    );
    await ask(
      "outbox",
      `insert into ${schema}.outbox (id, item_id, body) select id, $1, body from unnest($2::text[], $3::text[]) as given (id, body)`,
      item.id,
      hooks.map(({ id }) => id),
      hooks.map((hook) => JSON.stringify(hook)),
    );
    await ask(
      "move",
      `update ${schema}.item set version = $2, phase = $3, status = $4, revision_since = $5, body = $6 where id = $1`,
      item.id,
      item.version,
      item.phase,
      item.status,
      item.revisionSince,
      JSON.stringify(item),
    );
    await client.query("commit");
    return true;
  } finally {
    client.release();
  }
}
