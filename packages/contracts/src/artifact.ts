import { hashContent } from "./sha256.ts";

/** Where an artifact was read: where the agent worked, or the project's own copy. */
export type ArtifactPlace = "worktree" | "project";

/** What reading an artifact gave. */
export type ArtifactReading =
  | { readonly status: "found"; readonly text: string; readonly from: ArtifactPlace; readonly warning?: string }
  | { readonly status: "missing" }
  | { readonly status: "refused"; readonly reason: string; readonly detail: string };

/** An artifact as it was when the claim was made. It is judged from this copy, whatever happens to the file. */
export type Artifact =
  | { readonly status: "found"; readonly text: string; readonly hash: string; readonly path: string; readonly from: ArtifactPlace; readonly warning?: string }
  | { readonly status: "missing"; readonly path: string }
  | { readonly status: "refused"; readonly path: string; readonly reason: string; readonly detail: string }
  /** The contract asks for none. */
  | { readonly status: "none" };

/** Reads artifacts: the worktree of the latest run first, the project second. Files are behind `./node`. */
export interface ArtifactSource {
  readonly read: (path: string, options: { readonly worktree: string | undefined }) => Promise<ArtifactReading>;
}

/** The hash of no artifact at all, so that a verdict on a phase without one has something to be about. */
export const NO_ARTIFACT_HASH: string = hashContent("");

/** A reading as the artifact of a claim. */
export function readingToArtifact(reading: ArtifactReading, path: string): Artifact {
  return reading.status === "found" ? { ...reading, path, hash: hashContent(reading.text) } : { ...reading, path };
}

/** Artifacts from memory, by path: for tests, and for hosts that keep documents elsewhere. */
export function memoryArtifacts(files: { readonly worktree?: ReadonlyMap<string, string>; readonly project?: ReadonlyMap<string, string> }): ArtifactSource {
  return {
    read: (path, { worktree }) => {
      const own = worktree === undefined ? undefined : files.worktree?.get(path);
      if (own !== undefined) return Promise.resolve({ status: "found", text: own, from: "worktree" });
      const shared = files.project?.get(path);
      if (shared === undefined) return Promise.resolve({ status: "missing" });
      return Promise.resolve({ status: "found", text: shared, from: "project", warning: projectWarning(worktree) });
    },
  };
}

/** Why the project's copy was used. */
export function projectWarning(worktree: string | undefined): string {
  return worktree === undefined ? "The item has no run with a worktree; the project's copy was used." : "The worktree of the latest run has no such file; the project's copy was used.";
}
