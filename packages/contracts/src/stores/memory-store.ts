import type { Claim } from "../claims/claim-schema.ts";
import { toAsync } from "../to-async.ts";
import type { ClaimReview, Verdict } from "../reviews/verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";
import { systemClock } from "../system.ts";
import type {
  AuditComment,
  HookMessage,
  ItemQuery,
  LeasedWork,
  PhaseAdvance,
  WorkChange,
  WorkRecord,
  WorkStore,
} from "./work-store.ts";

interface OutboxRow {
  readonly message: HookMessage;
  attempts: number;
  dueAt: number;
  state: "waiting" | "done" | "parked";
}

interface ItemFile {
  item: WorkItem;
  readonly claims: Map<string, Claim>;
  readonly verdicts: Map<string, Verdict>;
  readonly reviews: Map<string, ClaimReview>;
  readonly advances: PhaseAdvance[];
  readonly comments: AuditComment[];
  readonly outbox: OutboxRow[];
  lease: {
    readonly token: string;
    readonly having: LeasedWork;
    readonly until: number;
    readonly rests?: number;
  } | null;
}

/** Options for `createMemoryWorkStore()`. */
export interface MemoryWorkStoreOptions {
  /** The clock of leases and retries. @default `Date.now` */
  readonly clock?: () => number;
}

/** Creates a store in memory: for tests, examples, and processes that need no persistence. */
export function createMemoryWorkStore(options: MemoryWorkStoreOptions = {}): WorkStore {
  return new MemoryStore(options);
}

class MemoryStore implements WorkStore {
  readonly #clock: () => number;
  readonly #files = new Map<string, ItemFile>();
  readonly #claimsByKey = new Map<string, { readonly itemId: string; readonly id: string }>();
  readonly #itemByReview = new Map<string, string>();
  readonly #advancedClaims = new Set<string>();
  readonly #snapshots = new Map<string, string>();
  #leases = 0;

  constructor({ clock = systemClock }: MemoryWorkStoreOptions) {
    this.#clock = clock;
  }

  readonly create: WorkStore["create"] = toAsync((item) => {
    if (this.#files.has(item.id)) return false;
    this.#files.set(item.id, {
      item: copy(item),
      claims: new Map(),
      verdicts: new Map(),
      reviews: new Map(),
      advances: [],
      comments: [],
      outbox: [],
      lease: null,
    });
    return true;
  });

  readonly load: WorkStore["load"] = toAsync((itemId) => {
    const file = this.#files.get(itemId);
    return file === undefined ? undefined : copy(recordOf(file));
  });

  readonly commit: WorkStore["commit"] = toAsync((given) => {
    const file = this.#files.get(given.item.id);
    const change = copy(given);
    // Check first, so that a refused change leaves nothing behind.
    if (file === undefined || !this.#fits(file, change)) return false;
    this.#apply(file, change);
    return true;
  });

  readonly list: WorkStore["list"] = toAsync(({ phase, status, having, after = "", limit = 1000 } = {}) =>
    [...this.#files.values()]
      .filter(
        (file) =>
          file.item.id > after &&
          (phase === undefined || file.item.phase === phase) &&
          (status === undefined || file.item.status === status) &&
          (having === undefined || has(file, having)),
      )
      .map(({ item }) => item.id)
      .toSorted(byText)
      .slice(0, limit),
  );

  readonly findClaim: WorkStore["findClaim"] = toAsync((key) => {
    const found = this.#claimsByKey.get(key);
    return found === undefined ? undefined : copy(this.#files.get(found.itemId)?.claims.get(found.id));
  });

  readonly findReview: WorkStore["findReview"] = toAsync((id) => {
    const itemId = this.#itemByReview.get(id);
    return itemId === undefined ? undefined : { itemId };
  });

  readonly readSnapshot: WorkStore["readSnapshot"] = toAsync((hash) => this.#snapshots.get(hash));

  readonly history: WorkStore["history"] = toAsync((itemId) => {
    const file = this.#files.get(itemId);
    return copy({ advances: file?.advances ?? [], comments: file?.comments ?? [] });
  });

  readonly takeItems: WorkStore["takeItems"] = toAsync(({ having, leaseMs, limit, after = "" }) => {
    const now = this.#clock();
    const token = `lease-${(this.#leases += 1)}`;
    const taken = [...this.#files.values()]
      .filter((file) => file.item.id > after && has(file, having) && isFree(file, { having, now }))
      .toSorted((one, other) => byText(one.item.id, other.item.id))
      .slice(0, limit);
    for (const file of taken) file.lease = { token, having, until: now + leaseMs };
    return { token, now, records: taken.map((file) => copy(recordOf(file))) };
  });

  readonly releaseItems: WorkStore["releaseItems"] = toAsync((token, items) => {
    for (const { id, version, restMs } of items) {
      const file = this.#files.get(id);
      if (file?.lease?.token === token)
        file.lease = restMs > 0 ? { ...file.lease, until: this.#clock() + restMs, rests: version } : null;
    }
  });

  readonly takeHooks: WorkStore["takeHooks"] = toAsync(({ leaseMs, limit }) => {
    const now = this.#clock();
    const due = [...this.#files.values()]
      .flatMap(({ outbox }) => outbox.find(({ state }) => state === "waiting") ?? [])
      .filter(({ dueAt }) => dueAt <= now);
    return due.slice(0, limit).map((row) => {
      row.dueAt = now + leaseMs;
      row.attempts += 1;
      return { ...copy(row.message), attempts: row.attempts - 1 };
    });
  });

  readonly settleHook: WorkStore["settleHook"] = toAsync((id, settlement) => {
    const file = this.#files.get(id.slice(0, id.lastIndexOf("@")));
    const row = file?.outbox.find(({ message }) => message.id === id);
    if (row === undefined || row.state !== "waiting") return;
    if (settlement.delivered) row.state = "done";
    else if ("parked" in settlement) row.state = "parked";
    else row.dueAt = this.#clock() + settlement.retryMs;
  });

  /** True if the item has the expected version, and every claim and advance is the only one with its key. */
  #fits({ item, advances }: ItemFile, { expectedVersion, advance, claims = [] }: WorkChange): boolean {
    if (item.version !== expectedVersion) return false;
    if (
      advance !== undefined &&
      (this.#advancedClaims.has(advance.claimId) || advances.some(({ entry }) => entry === advance.entry))
    )
      return false;
    const ownerOf = (key: string): string | undefined =>
      this.#claimsByKey.get(key)?.id ?? claims.find((claim) => claim.idempotency_key === key)?.id;
    return claims.every(({ idempotency_key: key, id }) => ownerOf(key) === id);
  }

  #apply(file: ItemFile, change: WorkChange): void {
    const {
      item,
      advance,
      claims = [],
      verdicts = [],
      reviews = [],
      comments = [],
      hooks = [],
      snapshots = [],
    } = change;
    file.item = item;
    for (const claim of claims) {
      file.claims.set(claim.id, claim);
      this.#claimsByKey.set(claim.idempotency_key, { itemId: item.id, id: claim.id });
    }
    for (const verdict of verdicts) file.verdicts.set(verdict.id, verdict);
    for (const review of reviews) {
      file.reviews.set(review.id, review);
      this.#itemByReview.set(review.id, item.id);
    }
    if (advance !== undefined) {
      file.advances.push(advance);
      this.#advancedClaims.add(advance.claimId);
    }
    file.comments.push(...comments);
    file.outbox.push(...hooks.map((message): OutboxRow => ({ message, attempts: 0, dueAt: 0, state: "waiting" })));
    for (const { hash, text } of snapshots) this.#snapshots.set(hash, text);
  }
}

function recordOf({ item, claims, verdicts, reviews }: ItemFile): WorkRecord {
  return { item, claims: [...claims.values()], verdicts: [...verdicts.values()], reviews: [...reviews.values()] };
}

/** True if no worker holds the item, and it does not rest from this work at this version. */
function isFree(
  { item, lease }: ItemFile,
  { having, now }: { readonly having: LeasedWork; readonly now: number },
): boolean {
  if (lease === null || lease.until <= now) return true;
  return lease.rests !== undefined && (lease.rests !== item.version || lease.having !== having);
}

function has({ item, claims, reviews }: ItemFile, having: NonNullable<ItemQuery["having"]>): boolean {
  switch (having) {
    case "open-claim":
      return [...claims.values()].some(({ processed }) => !processed);
    case "revision":
      return item.revisionSince !== null;
    case "open-review":
      return [...reviews.values()].some(({ state }) => state === "open" || state === "person");
  }
}

/** Copies a value, so that a change by the caller does not affect the store. */
function copy<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
