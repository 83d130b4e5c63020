import type { ContractSet } from "../contract/contract-set.ts";
import { issueTexts } from "../claims/claim-schema.ts";
import { duplicateItem, invalidInput } from "../errors.ts";
import { isoTime, systemClock } from "../system.ts";
import { changeLabels, type NewItem, newItemSchema, phaseLabel, type WorkItem } from "./work-item.ts";
import type { WorkStore } from "../stores/work-store.ts";

/**
 * Adds a work item. Its default phase is the first one of the contracts.
 *
 * @throws INVALID_INPUT, DUPLICATE_ITEM
 */
export async function addItem(
  store: WorkStore,
  item: NewItem,
  { contracts, clock = systemClock }: { readonly contracts: ContractSet; readonly clock?: () => number },
): Promise<WorkItem> {
  const parsed = newItemSchema.safeParse(item);
  if (!parsed.success) throw invalidInput("work item", issueTexts(parsed.error));
  const { id, phase = contracts.initial, status, labels, project } = parsed.data;
  const now = isoTime(clock());
  const made: WorkItem = {
    id,
    phase,
    status,
    project,
    entry: 1,
    labels: changeLabels(labels, { add: [phaseLabel(phase)] }),
    version: 0,
    metrics: { entered_phase_at: now, phase_rejection_count: 0, last_completion_hash: null, last_verdict: null },
    artifacts: [],
    runs: [],
    skips: [],
    completed: false,
    revisionSince: null,
    expiries: 0,
    held: null,
    forgiven: { rejections: 0, runs: 0 },
    changeRequest: null,
    createdAt: now,
    updatedAt: now,
  };
  if (!(await store.create(made))) throw duplicateItem(id);
  return made;
}
