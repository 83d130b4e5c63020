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
export function createMemoryWorkStore({ clock = systemClock }: MemoryWorkStoreOptions = {}): WorkStore {
  const files = new Map<string, ItemFile>();
  const claimsByKey = new Map<string, { readonly itemId: string; readonly id: string }>();
  const itemByReview = new Map<string, string>();
  const advancedClaims = new Set<string>();
  const snapshots = new Map<string, string>();
  let leases = 0;

  return {
    create: toAsync((item) => {
      if (files.has(item.id)) return false;
      files.set(item.id, {
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
    }),
    load: toAsync((itemId) => {
      const file = files.get(itemId);
      return file === undefined ? undefined : copy(recordOf(file));
    }),
    commit: toAsync((change) => {
      const file = files.get(change.item.id);
      if (file === undefined || file.item.version !== change.expectedVersion) return false;
      const {
        advance,
        claims = [],
        verdicts = [],
        reviews = [],
        comments = [],
        hooks = [],
        snapshots: texts = [],
      } = copy(change);
      // Check first, so that a refused change leaves nothing behind.
      if (
        advance !== undefined &&
        (advancedClaims.has(advance.claimId) || file.advances.some(({ entry }) => entry === advance.entry))
      )
        return false;
      const ownerOf = (key: string): string | undefined =>
        claimsByKey.get(key)?.id ?? claims.find((claim) => claim.idempotency_key === key)?.id;
      if (claims.some(({ idempotency_key: key, id }) => ownerOf(key) !== id)) return false;
      file.item = copy(change.item);
      for (const claim of claims) {
        file.claims.set(claim.id, claim);
        claimsByKey.set(claim.idempotency_key, { itemId: change.item.id, id: claim.id });
      }
      for (const verdict of verdicts) file.verdicts.set(verdict.id, verdict);
      for (const review of reviews) {
        file.reviews.set(review.id, review);
        itemByReview.set(review.id, change.item.id);
      }
      if (advance !== undefined) {
        file.advances.push(advance);
        advancedClaims.add(advance.claimId);
      }
      file.comments.push(...comments);
      file.outbox.push(...hooks.map((message): OutboxRow => ({ message, attempts: 0, dueAt: 0, state: "waiting" })));
      for (const { hash, text } of texts) snapshots.set(hash, text);
      return true;
    }),
    list: toAsync(({ phase, status, having, after = "", limit = 1000 } = {}) =>
      [...files.values()]
        .filter(
          (file) =>
            file.item.id > after &&
            (phase === undefined || file.item.phase === phase) &&
            (status === undefined || file.item.status === status),
        )
        .filter((file) => having === undefined || has(file, having))
        .map(({ item }) => item.id)
        .toSorted(byText)
        .slice(0, limit),
    ),
    findClaim: toAsync((key) => {
      const found = claimsByKey.get(key);
      return found === undefined ? undefined : copy(files.get(found.itemId)?.claims.get(found.id));
    }),
    findReview: toAsync((id) => {
      const itemId = itemByReview.get(id);
      return itemId === undefined ? undefined : { itemId };
    }),
    readSnapshot: toAsync((hash) => snapshots.get(hash)),
    history: toAsync((itemId) => {
      const file = files.get(itemId);
      return copy({ advances: file?.advances ?? [], comments: file?.comments ?? [] });
    }),
    takeItems: toAsync(({ having, leaseMs, limit, after = "" }) => {
      const now = clock();
      const token = `lease-${(leases += 1)}`;
      const taken = [...files.values()]
        .filter((file) => file.item.id > after && has(file, having) && isFree(file, { having, now }))
        .toSorted((one, other) => byText(one.item.id, other.item.id))
        .slice(0, limit);
      for (const file of taken) file.lease = { token, having, until: now + leaseMs };
      return { token, now, records: taken.map((file) => copy(recordOf(file))) };
    }),
    releaseItems: toAsync((token, items) => {
      for (const { id, version, restMs } of items) {
        const file = files.get(id);
        if (file?.lease?.token === token)
          file.lease = restMs > 0 ? { ...file.lease, until: clock() + restMs, rests: version } : null;
      }
    }),
    takeHooks: toAsync(({ leaseMs, limit }) => {
      const now = clock();
      const due = [...files.values()]
        .flatMap(({ outbox }) => outbox.find(({ state }) => state === "waiting") ?? [])
        .filter(({ dueAt }) => dueAt <= now);
      return due.slice(0, limit).map((row) => {
        row.dueAt = now + leaseMs;
        row.attempts += 1;
        return { ...copy(row.message), attempts: row.attempts - 1 };
      });
    }),
    settleHook: toAsync((id, settlement) => {
      const row = files.get(id.slice(0, id.lastIndexOf("@")))?.outbox.find(({ message }) => message.id === id);
      if (row === undefined || row.state !== "waiting") return;
      if (settlement.delivered) row.state = "done";
      else if ("parked" in settlement) row.state = "parked";
      else row.dueAt = clock() + settlement.retryMs;
    }),
  };
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
