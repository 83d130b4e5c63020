import { itemChange } from "../claims/claim-change.ts";
import { contractFor, type ContractSet } from "../contract/contract-set.ts";
import { itemHeld } from "../errors.ts";
import { holdComment } from "./audit-comments.ts";
import { isoTime, systemClock } from "../system.ts";
import { updateItem } from "./update-item.ts";
import { changeLabels, NEEDS_PERSON, tooManyRuns, type WorkItem } from "./work-item.ts";
import type { WorkStore } from "../stores/work-store.ts";

interface ItemRunOptions {
  readonly item: string;
  readonly runId: string;
  readonly clock?: () => number;
}

/**
 * Records that a run starts to work on an item. If the item has reached the `max_runs` of its phase, it is held for a
 * person instead.
 *
 * @throws UNKNOWN_ITEM, ITEM_HELD
 */
export async function startItemRun(
  store: WorkStore,
  options: ItemRunOptions & { readonly worktreePath?: string; readonly contracts: ContractSet },
): Promise<WorkItem> {
  const { item: id, runId, worktreePath = null, contracts, clock = systemClock } = options;
  const { item, refused } = await updateItem<{ readonly item: WorkItem; readonly refused: string | undefined }>(
    store,
    id,
    ({ item }) => {
      const now = clock();
      if (item.runs.some((run) => run.runId === runId)) return { answer: { item, refused: undefined } };
      if (item.held !== null) return { answer: { item, refused: item.held } };
      const held = tooManyRuns(item, contractFor(contracts, item.phase)?.max_runs);
      if (held !== undefined) return { change: holdChange(item, held, now), answer: { item, refused: held } };
      const runs = [...item.runs, { runId, worktreePath, startedAt: isoTime(now), endedAt: null }];
      const change = itemChange(item, { runs, status: "in_progress" }, { now });
      return { change, answer: { item: change.item, refused: undefined } };
    },
  );
  if (refused !== undefined) throw itemHeld(id, refused);
  return item;
}

/** Records that a run no longer works on an item. */
export async function endItemRun(
  store: WorkStore,
  { item: id, runId, clock = systemClock }: ItemRunOptions,
): Promise<void> {
  await updateItem(store, id, ({ item }) => {
    const now = clock();
    if (!item.runs.some((run) => run.runId === runId && run.endedAt === null)) return { answer: undefined };
    const runs = item.runs.map((run) => (run.runId === runId ? { ...run, endedAt: isoTime(now) } : run));
    return { change: itemChange(item, { runs }, { now }), answer: undefined };
  });
}

/** Holds an item until a person releases it: no claim is decided, no revision expires, no run starts. */
function holdChange(item: WorkItem, held: string, now: number): ReturnType<typeof itemChange> {
  return itemChange(
    item,
    { held, status: "blocked", labels: changeLabels(item.labels, { add: [NEEDS_PERSON] }) },
    { now, comments: [holdComment(held)] },
  );
}

/** Releases a held item after a person's review. It is dispatched again, and its counts start from here. */
export async function releaseItem(
  store: WorkStore,
  {
    item: id,
    by,
    note = "",
    clock = systemClock,
  }: { readonly item: string; readonly by: string; readonly note?: string; readonly clock?: () => number },
): Promise<boolean> {
  return updateItem(store, id, ({ item }) => {
    if (item.held === null) return { answer: false };
    const members: Partial<WorkItem> = {
      held: null,
      status: "todo",
      labels: changeLabels(item.labels, { remove: [NEEDS_PERSON, "needs-revision"] }),
      revisionSince: null,
      expiries: 0,
      forgiven: { rejections: item.metrics.phase_rejection_count, runs: item.runs.length },
    };
    return {
      change: itemChange(item, members, {
        now: clock(),
        comments: [{ kind: "release", text: `${by} released the item. ${note}`.trim() }],
      }),
      answer: true,
    };
  });
}
