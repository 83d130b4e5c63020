import type { Mark } from "./timeline.ts";

/** Marks of one kind that would cover one another. */
export interface MarkCluster {
  readonly kind: Mark["kind"];
  readonly at: number;
  readonly marks: readonly Mark[];
}

/** Puts marks of one kind together that are closer than `gap` on the axis. */
export function clusterMarks(marks: readonly Mark[], gap: number): readonly MarkCluster[] {
  const clusters: MarkCluster[] = [];
  const open = new Map<Mark["kind"], number>();
  for (const mark of marks) {
    const index = open.get(mark.kind);
    const cluster = index === undefined ? undefined : clusters[index];
    if (index !== undefined && cluster !== undefined && mark.at - cluster.at < gap)
      clusters[index] = { ...cluster, marks: [...cluster.marks, mark] };
    else {
      open.set(mark.kind, clusters.length);
      clusters.push({ kind: mark.kind, at: mark.at, marks: [mark] });
    }
  }
  return clusters;
}
