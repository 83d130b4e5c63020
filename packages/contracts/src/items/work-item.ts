import { z } from "zod";
import type { Json } from "@phasekit/core";

/** Status of an item on a board, for people and dispatchers. */
export type ItemStatus = "backlog" | "todo" | "in_progress" | "review" | "blocked" | "done";

/** Counters of the current phase. */
interface PhaseMetrics {
  readonly entered_phase_at: string;
  /** Grows with every rejection; resets when the item advances. */
  readonly phase_rejection_count: number;
  readonly last_completion_hash: string | null;
  readonly last_verdict: "approved" | "rejected" | null;
}

/** An artifact of a decided claim. */
export interface ItemArtifact {
  readonly phase: string;
  readonly path: string;
  readonly status: "approved" | "rejected";
  /** Number of the attempt in this phase, from 1. */
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

/** Skipped phases, with the agent's reason. */
interface SkipFinding {
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
  /** Number of the current phase entry. Every advance starts a new one. */
  readonly entry: number;
  readonly status: ItemStatus;
  /** `phase:<name>`, `needs-revision`, `needs-person`, `skip:<phase>`, and any others. */
  readonly labels: readonly string[];
  /** Grows with every write. A write names the version it read. */
  readonly version: number;
  readonly metrics: PhaseMetrics;
  readonly artifacts: readonly ItemArtifact[];
  readonly runs: readonly ItemRun[];
  readonly skips: readonly SkipFinding[];
  /** The last phase was completed. */
  readonly completed: boolean;
  /** Time since which it waits for a revision. */
  readonly revisionSince: string | null;
  /** Number of expired revisions in this phase entry. */
  readonly expiries: number;
  /** Why the item is on hold for a person. */
  readonly held: string | null;
  /** Counts at the last release. Only what exceeds them puts the item on hold again. */
  readonly forgiven: { readonly rejections: number; readonly runs: number };
  readonly changeRequest: { readonly id: string; readonly url?: string } | null;
  /** Data of the project, passed to hooks unchanged. */
  readonly project: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Schema of a new item. */
export const newItemSchema = z.strictObject({
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-])){0,127}$/,
      "use at most 128 letters, digits, dots, hyphens and underscores",
    ),
  phase: z.string().min(1).max(64).optional(),
  status: z.enum(["backlog", "todo", "in_progress", "review", "blocked", "done"]).default("backlog"),
  labels: z.array(z.string().min(1).max(200)).max(100).default([]),
  project: z.json().default(null),
});
/** A new item for `addItem()`. */
export type NewItem = z.input<typeof newItemSchema>;

export const NEEDS_REVISION = "needs-revision";
export const NEEDS_PERSON = "needs-person";

/** Label for an item's phase. */
export function phaseLabel(phase: string): string {
  return `phase:${phase}`;
}

/** Removes and adds labels; keeps the order of the others. */
export function changeLabels(
  labels: readonly string[],
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): readonly string[] {
  const kept = labels.filter((label) => !remove.includes(label) || add.includes(label));
  return [...kept, ...add.filter((label) => !kept.includes(label))];
}

/** The run that started last. */
export function latestRun({ runs }: Pick<WorkItem, "runs">): ItemRun | undefined {
  return runs.reduce<ItemRun | undefined>(
    (latest, run) => (latest === undefined || run.startedAt >= latest.startedAt ? run : latest),
    undefined,
  );
}

/** Why an item that has had all its runs waits for a person; `undefined` while it may have another. */
export function tooManyRuns({ runs, forgiven }: WorkItem, limit = Infinity): string | undefined {
  const made = runs.length - forgiven.runs;
  return made >= limit ? `${made} runs have worked on it (max_runs ${limit}).` : undefined;
}
