import { itemChange } from "../claims/claim-change.ts";
import { errorText } from "../error-text.ts";
import { systemClock } from "../system.ts";
import { BATCH, type LeaseOptions } from "./take-items.ts";
import { updateItem } from "./update-item.ts";
import type { WorkItem } from "./work-item.ts";
import type { WorkLog } from "./work-log.ts";
import type { HookMessage, DueHook, WorkStore } from "../stores/work-store.ts";

/** A request to copy an artifact to a permanent path. */
export interface PromotionRequest {
  readonly item: string;
  readonly text: string;
  readonly hash: string;
  readonly to: string;
  /** Hash of the file it may replace. */
  readonly base: string | null;
  readonly allowed: readonly string[];
}

/** Result of a promotion. A refusal is final and becomes a comment. */
export type PromotionResult =
  { readonly ok: true } | { readonly ok: false; readonly reason: string; readonly detail: string };

/** Options for hooks. */
export interface DeliverOptions extends LeaseOptions {
  /**
   * Receives every hook and issue event at least once, in order per item, and those of up to 16 items at the same time.
   * If it throws, the message is retried. @default messages stay in the outbox
   */
  readonly deliver?: (message: HookMessage) => Promise<void> | void;
  /** Opens a change request for a completed item. The key is the same on every attempt. @default none is opened */
  readonly createChangeRequest?: (
    item: WorkItem,
    options: { readonly key: string },
  ) => Promise<{ readonly id: string; readonly url?: string }>;
  /** Copies artifacts to permanent paths; see `createPromoter` in `../node`. @default none is copied */
  readonly promote?: (request: PromotionRequest) => Promise<PromotionResult>;
  /** First pause after a failed delivery. It doubles up to five minutes. @default 1000 */
  readonly hookRetryMs?: number;
  /** Attempts before a message is parked, so that later messages of the item are delivered. @default no limit */
  readonly hookAttempts?: number;
}

/** With the log, and the clock of comments; the store's clock decides which messages are due. */
type DeliverContext = DeliverOptions & { readonly log?: WorkLog; readonly clock?: () => number };

const LONGEST_PAUSE_MS = 300_000;

/** Delivers the messages that are due, and returns the counts. Without `deliver`, they stay for another worker. */
export async function deliverHooks(
  store: WorkStore,
  options: DeliverContext,
): Promise<{ readonly delivered: number; readonly failed: number }> {
  const { deliver, leaseMs = 30_000 } = options;
  if (deliver === undefined) return { delivered: 0, failed: 0 };
  let delivered = 0;
  let failed = 0;
  for (;;) {
    const taken = await store.takeHooks({ leaseMs, limit: BATCH });
    if (taken.length === 0) return { delivered, failed };
    // Side by side: they belong to different items, and the lease of the last must not end while it waits for its turn.
    const results = await Promise.all(taken.map((message) => deliverOne(store, message, { ...options, deliver })));
    delivered += results.filter(Boolean).length;
    failed += results.filter((isDelivered) => !isDelivered).length;
  }
}

type Delivery = DeliverContext & { readonly deliver: (message: HookMessage) => Promise<void> | void };

async function deliverOne(store: WorkStore, message: DueHook, options: Delivery): Promise<boolean> {
  const { hookRetryMs = 1000, hookAttempts = Infinity, log } = options;
  const { id, itemId, name, attempts } = message;
  try {
    await carryOut(store, message, options);
    await store.settleHook(id, { delivered: true });
    return true;
  } catch (error) {
    const text = errorText(error);
    log?.({
      level: "warn",
      event: "hook_failed",
      identifier: itemId,
      phase: "",
      claim_id: null,
      code: name,
      text: `attempt ${attempts + 1}: ${text}`,
    });
    const pause = Math.min(hookRetryMs * 2 ** Math.min(attempts, 30), LONGEST_PAUSE_MS);
    await store.settleHook(
      id,
      attempts + 1 >= hookAttempts
        ? { delivered: false, error: text, parked: true }
        : { delivered: false, error: text, retryMs: pause },
    );
    return false;
  }
}

async function carryOut(
  store: WorkStore,
  { attempts: _attempts, ...message }: DueHook,
  options: Delivery,
): Promise<void> {
  switch (message.name) {
    case "create_change_request":
      return openChangeRequest(store, message, options);
    case "promote_artifact":
      return promoteOne(store, message, options);
    default:
      await options.deliver(message);
  }
}

async function openChangeRequest(
  store: WorkStore,
  { itemId, id: key }: HookMessage,
  { createChangeRequest, clock = systemClock }: DeliverContext,
): Promise<void> {
  const item = (await store.load(itemId))?.item;
  if (createChangeRequest === undefined || item === undefined || item.changeRequest !== null) return;
  const made = await createChangeRequest(item, { key });
  await updateItem(store, itemId, ({ item: now }) => {
    if (now.changeRequest !== null) return { answer: undefined };
    const { id, url } = made;
    const change = itemChange(
      now,
      { changeRequest: url === undefined ? { id } : { id, url } },
      {
        now: clock(),
        hooks: [{ name: "pr_created", payload: { id, ...(url !== undefined && { url }) } }],
        comments: [{ kind: "change_request", text: `Change request ${url ?? id} was opened.` }],
      },
    );
    return { change, answer: undefined };
  });
}

async function promoteOne(
  store: WorkStore,
  { itemId, payload }: HookMessage,
  { promote, log, clock = systemClock }: DeliverContext,
): Promise<void> {
  const { hash, to, base, allowed, path, claim } = payload as {
    readonly hash: string;
    readonly to: string;
    readonly base: string | null;
    readonly allowed: readonly string[];
    readonly path: string;
    readonly claim: string;
  };
  const text = await store.readSnapshot(hash);
  const result: PromotionResult =
    promote === undefined || text === undefined
      ? {
          ok: false,
          reason: "unavailable",
          detail:
            promote === undefined ? "the host has no `promote` option" : "the snapshot of the artifact is missing",
        }
      : await promote({ item: itemId, text, hash, to, base, allowed });
  const comment = result.ok
    ? `The artifact ${path} was promoted to ${to}.`
    : `The artifact ${path} was not promoted to ${to} (${result.reason}): ${result.detail}`;
  // A message delivered again after a crash must not add a second comment.
  const isRecorded = (await store.history(itemId)).comments.some(({ text: recorded }) => recorded === comment);
  if (!isRecorded)
    await updateItem(store, itemId, ({ item }) => ({
      change: itemChange(item, {}, { now: clock(), comments: [{ kind: "promotion", text: comment }] }),
      answer: undefined,
    }));
  if (!result.ok)
    log?.({
      level: "warn",
      event: "promotion_refused",
      identifier: itemId,
      phase: "",
      claim_id: claim,
      code: result.reason,
      text: result.detail,
    });
}
