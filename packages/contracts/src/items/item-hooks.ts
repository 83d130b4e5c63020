import type { JsonObject } from "@phasekit/core";
import { type HookMessage, type HookName, toPayload } from "../stores/work-store.ts";
import type { WorkItem } from "./work-item.ts";

/** A hook before it has an identifier. */
export interface PlannedHook {
  readonly name: HookName;
  readonly payload: JsonObject;
}

/** The issue events for a change of an item's labels and status. */
export function changesOf(before: WorkItem, after: WorkItem): readonly PlannedHook[] {
  const removed = before.labels.filter((label) => !after.labels.includes(label));
  const added = after.labels.filter((label) => !before.labels.includes(label));
  return [
    ...removed.map((label): PlannedHook => ({ name: "label_remove", payload: { label } })),
    ...added.map((label): PlannedHook => ({ name: "label_add", payload: { label } })),
    ...(before.status === after.status
      ? []
      : [{ name: "status_change" as const, payload: { from: before.status, to: after.status } }]),
  ];
}

/** Gives hooks ids by the item's new version, so that a repeated change makes equal messages. */
export function toMessages(item: WorkItem, hooks: readonly PlannedHook[]): readonly HookMessage[] {
  return hooks.map(({ name, payload }, index) => ({
    id: `${item.id}@${item.version}.${index}`,
    itemId: item.id,
    name,
    payload: { item: item.id, ...payload },
    at: item.updatedAt,
  }));
}

/** Converts an item to a hook payload. */
export function itemPayload(item: WorkItem): JsonObject {
  return toPayload(item) as JsonObject;
}
