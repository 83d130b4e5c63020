import { z } from "zod";
import type { Json } from "@phasekit/core";

/** Where an item stands for the people and dispatchers that look at a board. */
export type ItemStatus = "backlog" | "todo" | "in_progress" | "review" | "blocked" | "done";

/** Counters of the present phase. */
export interface PhaseMetrics {
  readonly entered_phase_at: string;
  /** Resets when the item advances, grows with every rejection. */
  readonly phase_rejection_count: number;
  readonly last_completion_hash: string | null;
  readonly last_verdict: "approved" | "rejected" | null;
}

/** An artifact that was handed in, whatever became of it. */
export interface ItemArtifact {
  readonly phase: string;
  readonly path: string;
  readonly status: "approved" | "rejected";
  /** Which attempt of this phase it was, from 1. */
  readonly revision: number;
  readonly hash: string;
}

/** A run that serves an item. */
export interface ItemRun {
  readonly runId: string;
  readonly worktreePath: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** Phases that were left out, with the reason the agent gave. */
export interface SkipFinding {
  readonly category: "phase_skip";
  readonly claim_id: string;
  readonly from: string;
  readonly to: string;
  readonly phases: readonly string[];
  readonly reason: string;
  readonly created_at: string;
}

/** A piece of work that moves through phases by claims. */
export interface WorkItem {
  readonly id: string;
  readonly phase: string;
  /** The number of the present stay in a phase; every advancement opens a new one. */
  readonly entry: number;
  readonly status: ItemStatus;
  /** `phase:<name>`, `needs-revision`, `needs-person`, `skip:<phase>`, and whatever else people put there. */
  readonly labels: readonly string[];
  /** Changes with every write; a write names the version it saw. */
  readonly version: number;
  readonly metrics: PhaseMetrics;
  readonly artifacts: readonly ItemArtifact[];
  readonly runs: readonly ItemRun[];
  readonly skips: readonly SkipFinding[];
  /** The last phase was completed. */
  readonly completed: boolean;
  /** Since when it waits for a revision. */
  readonly revisionSince: string | null;
  /** How often waiting for a revision ran out in this stay. */
  readonly expiries: number;
  /** Why a person has to look before anything goes on. */
  readonly held: string | null;
  /** What a person forgave when releasing it: counts below these do not hold it again. */
  readonly forgiven: { readonly rejections: number; readonly runs: number };
  readonly changeRequest: { readonly id: string; readonly url?: string } | null;
  /** Data of the project, handed to hooks as it is. */
  readonly project: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What is needed to make an item. */
export const newItemSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-])){0,127}$/, "letters, digits, dots, hyphens and underscores, at most 128"),
  phase: z.string().min(1).max(64).optional(),
  status: z.enum(["backlog", "todo", "in_progress", "review", "blocked", "done"]).default("backlog"),
  labels: z.array(z.string().min(1).max(200)).max(100).default([]),
  project: z.json().default(null),
});
export type NewItem = z.input<typeof newItemSchema>;

export const NEEDS_REVISION = "needs-revision";
export const NEEDS_PERSON = "needs-person";

/** The label that shows an item's phase. */
export function phaseLabel(phase: string): string {
  return `phase:${phase}`;
}

/** Labels with some taken away and some added; the order of the others stays. */
export function changeLabels(labels: readonly string[], { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] }): readonly string[] {
  const kept = labels.filter((label) => !remove.includes(label) || add.includes(label));
  return [...kept, ...add.filter((label) => !kept.includes(label))];
}

/** The run that began last. */
export function latestRun({ runs }: Pick<WorkItem, "runs">): ItemRun | undefined {
  return runs.reduce<ItemRun | undefined>((latest, run) => (latest === undefined || run.startedAt >= latest.startedAt ? run : latest), undefined);
}
