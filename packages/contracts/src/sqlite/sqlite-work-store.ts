import type { Claim } from "../claims/claim-schema.ts";
import { toAsync } from "../to-async.ts";
import type { ClaimReview, Verdict } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";
import type {
  AuditComment,
  HookMessage,
  PhaseAdvance,
  WorkChange,
  WorkRecord,
  WorkStore,
} from "../stores/work-store.ts";
import { randomId, systemClock } from "../system.ts";
import { isConstraint, SqliteConnection } from "./sqlite-connection.ts";

/** Options for `createSqliteWorkStore()`. */
export interface SqliteWorkStoreOptions {
  /** A file, or ":memory:". */
  readonly path: string;
  /** Time to wait for locks of other processes. @default 10000 */
  readonly busyTimeoutMs?: number;
  /** `disk`: an acknowledged change survives a power cut. `kernel`: only a crash of the process. @default "disk" */
  readonly acknowledge?: "disk" | "kernel";
  /** The clock of leases and retries; one machine has one. @default `Date.now` */
  readonly clock?: () => number;
}

/**
 * Creates a store in one SQLite file, for any number of processes on one machine. Needs Node 22.13 or newer.
 *
 * @throws NO_SQLITE, NEWER_STORE
 */
export function createSqliteWorkStore(options: SqliteWorkStoreOptions): WorkStore {
  return new SqliteStore(options);
}

class SqliteStore implements WorkStore {
  readonly #clock: () => number;
  readonly #connection: SqliteConnection;

  constructor({ path, busyTimeoutMs = 10_000, acknowledge = "disk", clock = systemClock }: SqliteWorkStoreOptions) {
    this.#clock = clock;
    this.#connection = new SqliteConnection({ path, busyTimeoutMs, acknowledge });
  }

  readonly create: WorkStore["create"] = toAsync((item) => {
    const values = [item.id, item.version, item.phase, item.status, item.revisionSince, JSON.stringify(item)];
    return (
      this.#connection.run(
        `insert into item (id, version, phase, status, revision_since, body)
           values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
        ...values,
      ) === 1
    );
  });

  readonly load: WorkStore["load"] = toAsync((itemId) =>
    this.#connection.reading(
      () => this.#recordsOf(this.#connection.bodies<WorkItem>("select body from item where id = ?", itemId))[0],
    ),
  );

  readonly commit: WorkStore["commit"] = toAsync((change) => {
    try {
      return this.#connection.transaction(() => this.#apply(change));
    } catch (error) {
      // A unique key exists: the caller reads again and sees the other write.
      if (isConstraint(error)) return false;
      throw error;
    }
  });

  readonly list: WorkStore["list"] = toAsync(({ phase, status, having, after = "", limit = 1000 } = {}) => {
    const where = [
      "id > ?",
      ...(phase === undefined ? [] : ["phase = ?"]),
      ...(status === undefined ? [] : ["status = ?"]),
      ...(having === undefined ? [] : [HAVING[having]]),
    ];
    const values = [after, phase, status].filter((value) => value !== undefined);
    return this.#connection
      .rows(`select id from item where ${where.join(" and ")} order by id limit ?`, ...values, limit)
      .map(({ id }) => String(id));
  });

  readonly findClaim: WorkStore["findClaim"] = toAsync(
    (key) =>
      this.#connection.bodies<Claim>(
        `select body from finding
           where kind = 'claim' and id = (select claim_id from claim_key where idempotency_key = ?)`,
        key,
      )[0],
  );

  readonly findReview: WorkStore["findReview"] = toAsync((id) => {
    const row = this.#connection.rows("select item_id from finding where kind = 'review' and id = ?", id)[0];
    return row === undefined ? undefined : { itemId: String(row["item_id"]) };
  });

  readonly readSnapshot: WorkStore["readSnapshot"] = toAsync((hash) => {
    const row = this.#connection.rows("select text from snapshot where hash = ?", hash)[0];
    return row === undefined ? undefined : String(row["text"]);
  });

  readonly history: WorkStore["history"] = toAsync((itemId) =>
    this.#connection.reading(() => ({
      advances: this.#connection.bodies<PhaseAdvance>(
        "select body from advance where item_id = ? order by entry",
        itemId,
      ),
      comments: this.#connection.bodies<AuditComment>(
        "select body from comment where item_id = ? order by place",
        itemId,
      ),
    })),
  );

  readonly takeItems: WorkStore["takeItems"] = toAsync(({ having, leaseMs, limit, after = "" }) =>
    this.#connection.transaction(() => {
      const now = this.#clock();
      const token = randomId();
      this.#connection.run(
        `update item set lease = ?, lease_for = ?, lease_until = ?, rests = null where id in (
             select id from item where id > ? and ${HAVING[having]}
               and (lease_until <= ? or rests <> version or (rests is not null and lease_for <> ?))
             order by id limit ?)`,
        token,
        having,
        now + leaseMs,
        after,
        now,
        having,
        limit,
      );
      const taken = this.#connection.bodies<WorkItem>(
        `select body from item where id > ? and ${HAVING[having]} and lease = ? order by id`,
        after,
        token,
      );
      return { token, now, records: this.#recordsOf(taken) };
    }),
  );

  readonly releaseItems: WorkStore["releaseItems"] = toAsync((token, items) =>
    this.#connection.transaction(() => {
      const now = this.#clock();
      for (const { id, version, restMs } of items)
        this.#connection.run(
          "update item set lease = null, lease_until = ?, rests = ? where id = ? and lease = ?",
          now + restMs,
          restMs > 0 ? version : null,
          id,
          token,
        );
    }),
  );

  readonly takeHooks: WorkStore["takeHooks"] = toAsync(({ leaseMs, limit }) =>
    this.#connection.transaction(() => {
      const now = this.#clock();
      return this.#connection
        .rows(
          `update outbox set attempts = attempts + 1, due_at = ? where place in (
             select oldest from (select min(place) as oldest from outbox where state = 'waiting' group by item_id)
             where (select due_at from outbox where place = oldest) <= ? order by oldest limit ?)
           returning place, body, attempts`,
          now + leaseMs,
          now,
          limit,
        )
        .toSorted((one, other) => Number(one["place"]) - Number(other["place"]))
        .map(({ body, attempts }) => ({
          ...(JSON.parse(String(body)) as HookMessage),
          attempts: Number(attempts) - 1,
        }));
    }),
  );

  readonly settleHook: WorkStore["settleHook"] = toAsync((id, settlement) => {
    if (settlement.delivered)
      this.#connection.run("update outbox set state = 'done', error = null where id = ? and state = 'waiting'", id);
    else if ("parked" in settlement)
      this.#connection.run(
        "update outbox set state = 'parked', error = ? where id = ? and state = 'waiting'",
        settlement.error,
        id,
      );
    else
      this.#connection.run(
        "update outbox set due_at = ?, error = ? where id = ? and state = 'waiting'",
        this.#clock() + settlement.retryMs,
        settlement.error,
        id,
      );
  });

  readonly removeDelivered: WorkStore["removeDelivered"] = toAsync(({ olderThanMs, limit }) =>
    this.#connection.run(
      `delete from outbox where place in (
           select place from outbox where state = 'done' and due_at < ? order by place limit ?)`,
      this.#clock() - olderThanMs,
      limit,
    ),
  );

  readonly close: WorkStore["close"] = () => this.#connection.close();

  #put(kind: "claim" | "verdict" | "review", itemId: string, finding: Claim | Verdict | ClaimReview): void {
    const changed = this.#connection.run(
      "update finding set body = ? where kind = ? and id = ? and item_id = ?",
      JSON.stringify(finding),
      kind,
      finding.id,
      itemId,
    );
    if (changed === 0)
      this.#connection.run(
        `insert into finding (kind, id, item_id, place, body)
         values (?, ?, ?, (select count(*) from finding where item_id = ? and kind = ?), ?)`,
        kind,
        finding.id,
        itemId,
        itemId,
        kind,
        JSON.stringify(finding),
      );
  }

  #apply({
    item,
    expectedVersion,
    claims = [],
    verdicts = [],
    reviews = [],
    advance,
    comments = [],
    hooks = [],
    snapshots = [],
  }: WorkChange): boolean {
    const updated = this.#connection.run(
      "update item set version = ?, phase = ?, status = ?, revision_since = ?, body = ? where id = ? and version = ?",
      item.version,
      item.phase,
      item.status,
      item.revisionSince,
      JSON.stringify(item),
      item.id,
      expectedVersion,
    );
    if (updated === 0) return false;
    for (const claim of claims) {
      this.#connection.run(
        "insert into claim_key (idempotency_key, claim_id, item_id) values (?, ?, ?) on conflict (claim_id) do nothing",
        claim.idempotency_key,
        claim.id,
        item.id,
      );
      this.#put("claim", item.id, claim);
    }
    for (const verdict of verdicts) this.#put("verdict", item.id, verdict);
    for (const review of reviews) this.#put("review", item.id, review);
    if (claims.length + reviews.length > 0) {
      this.#connection.run(
        `update item set
           open_claims = (
             select count(*) from finding
             where item_id = item.id and kind = 'claim' and body ->> '$.processed' = 0
           ),
           open_reviews = (
             select count(*) from finding
             where item_id = item.id and kind = 'review' and body ->> '$.state' in ('open', 'person')
           )
         where id = ?`,
        item.id,
      );
    }
    if (advance !== undefined)
      this.#connection.run(
        "insert into advance (item_id, entry, claim_id, body) values (?, ?, ?, ?)",
        item.id,
        advance.entry,
        advance.claimId,
        JSON.stringify(advance),
      );
    for (const comment of comments)
      this.#connection.run("insert into comment (item_id, body) values (?, ?)", item.id, JSON.stringify(comment));
    for (const hook of hooks)
      this.#connection.run(
        "insert into outbox (id, item_id, body) values (?, ?, ?)",
        hook.id,
        item.id,
        JSON.stringify(hook),
      );
    for (const { hash, text } of snapshots)
      this.#connection.run("insert into snapshot (hash, text) values (?, ?) on conflict do nothing", hash, text);
    return true;
  }

  #findings<T>(kind: "claim" | "verdict" | "review", itemId: string): T[] {
    return this.#connection.bodies<T>(
      "select body from finding where item_id = ? and kind = ? order by place",
      itemId,
      kind,
    );
  }

  #recordsOf(items: readonly WorkItem[]): WorkRecord[] {
    return items.map((item) => ({
      item,
      claims: this.#findings<Claim>("claim", item.id),
      verdicts: this.#findings<Verdict>("verdict", item.id),
      reviews: this.#findings<ClaimReview>("review", item.id),
    }));
  }
}

const HAVING = {
  "open-claim": "open_claims > 0",
  revision: "revision_since is not null",
  "open-review": "open_reviews > 0",
} as const;
