import type { EventType } from "../events/run-event.ts";
import type { Policy } from "../policies/policy.ts";
import type { PlannedRow } from "./policy-plan.ts";

/** One policy of a run, with its state. */
export interface PolicyPart {
  readonly policy: Policy;
  state: unknown;
  /** Copied from the view, where `policy.failed` is folded: read for every policy that decides. */
  disabled: boolean;
}

/** The policies that act on one type of event, in order. */
export type PolicyRow<T> = readonly { readonly part: PolicyPart; readonly act: T }[];

/** Returns the rows of a plan for one run, without disabled policies. A row is built at its first event. */
export function rowsOf<T>(
  planned: ReadonlyMap<EventType, PlannedRow<T>>,
  parts: readonly PolicyPart[],
): (type: EventType) => PolicyRow<T> {
  const rows = new Map<EventType, PolicyRow<T>>();
  return (type) => {
    let row = rows.get(type);
    if (row === undefined) {
      row = (planned.get(type) ?? [])
        .map(({ place, act }) => ({ part: parts[place] as PolicyPart, act }))
        .filter(({ part }) => !part.disabled);
      rows.set(type, row);
    }
    return row;
  };
}

/** Returns the name of the policy at a place of a row. */
export function nameAt(row: PolicyRow<unknown>, index: number): string {
  return row[index]?.part.policy.name ?? "";
}
