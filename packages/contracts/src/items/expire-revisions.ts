import { expiryComment } from "./audit-comments.ts";
import { itemChange } from "../claims/claim-change.ts";
import { contractFor } from "../contract/contract-set.ts";
import { takeItems, type TakenItem } from "./take-items.ts";
import type { ProcessOptions } from "../claims/process-claims.ts";
import { isoTime } from "../system.ts";
import { updateItem } from "./update-item.ts";
import { changeLabels, NEEDS_PERSON, NEEDS_REVISION, tooManyRuns, type WorkItem } from "./work-item.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Expiry of a revision if the phase has no contract. */
const DEFAULT_EXPIRY_MS = 30 * 60_000;

/** Options for revisions that do not arrive. */
export interface ExpiryOptions {
  /** How often per phase entry an expired item is dispatched again, before it is held for a person. @default 1 */
  readonly maxExpiries?: number;
}

/**
 * Expires revisions that did not arrive in time. `maxExpiries` times per phase entry, the item is dispatched again.
 * After that, or if it has had all its runs, it is held for a person. An item with an undecided claim does not expire.
 * Returns the items.
 */
export async function expireRevisions(
  store: WorkStore,
  {
    contracts,
    clock,
    log,
    leaseMs,
    restMs = 0,
    maxExpiries = 1,
  }: Pick<ProcessOptions, "contracts" | "clock" | "log" | "leaseMs" | "restMs" | "maxExpiries">,
): Promise<readonly string[]> {
  const expired: string[] = [];
  const expire = async ({ record: known, now: takenAt }: TakenItem): Promise<number> => {
    const { id: itemId } = known.item;
    const now = clock?.() ?? takenAt;
    const { held, dueInMs } = await updateItem(store, known, (record) => {
      const { phase, revisionSince } = record.item;
      const contract = contractFor(contracts, phase);
      const expiryMs = contract?.expiry ?? DEFAULT_EXPIRY_MS;
      const maxRuns = contract?.max_runs;
      const change = expiry(record, { expiryMs, maxRuns, maxExpiries, now });
      return {
        change,
        answer: {
          held: change && { phase, held: change.item.held },
          dueInMs: revisionSince === null ? 0 : Date.parse(revisionSince) + expiryMs - now,
        },
      };
    });
    // An item that is not due yet rests no longer than it has time. One that is past it waits for something else.
    if (held === undefined) return dueInMs > 0 ? Math.min(restMs, dueInMs) : restMs;
    expired.push(itemId);
    log?.({
      level: "warn",
      event: held.held === null ? "revision_expired" : "item_held",
      identifier: itemId,
      phase: held.phase,
      claim_id: null,
      code: "needs_revision_expiry",
      text: held.held ?? "dispatched again",
    });
    return 0;
  };
  await takeItems(store, "revision", { ...(leaseMs !== undefined && { leaseMs }), work: expire });
  return expired;
}

function expiry(
  { item, claims }: WorkRecord,
  {
    expiryMs,
    now,
    ...limits
  }: {
    readonly expiryMs: number;
    readonly now: number;
    readonly maxRuns: number | undefined;
    readonly maxExpiries: number;
  },
): WorkChange | undefined {
  if (item.revisionSince === null || item.held !== null || item.completed) return undefined;
  if (claims.some(({ processed }) => !processed)) return undefined;
  if (now - Date.parse(item.revisionSince) <= expiryMs) return undefined;
  const held = reasonToHold(item, limits);
  const members: Partial<WorkItem> = {
    labels: changeLabels(item.labels, { remove: [NEEDS_REVISION], add: held === undefined ? [] : [NEEDS_PERSON] }),
    status: held === undefined ? "todo" : "blocked",
    held: held ?? null,
    expiries: item.expiries + 1,
    revisionSince: null,
  };
  return itemChange(item, members, {
    now,
    comments: [{ kind: "expiry", text: expiryComment(item, Math.round(expiryMs / 60_000), held) }],
  });
}

/** Why an item is held instead of dispatched again; repeated dispatches of the same work must stop. */
function reasonToHold(
  item: WorkItem,
  { maxRuns, maxExpiries }: { readonly maxRuns: number | undefined; readonly maxExpiries: number },
): string | undefined {
  if (item.expiries >= maxExpiries)
    return (
      `the revision of "${item.phase}" expired ${item.expiries + 1} times, ` +
      `the last one requested at ${item.revisionSince ?? isoTime(0)}.`
    );
  return tooManyRuns(item, maxRuns);
}
