import { hashContent } from "../sha256.ts";

/** Origin of an artifact: the agent's worktree, or the project's copy. */
type ArtifactPlace = "worktree" | "project";

/** Result of reading an artifact. */
export type ArtifactReading =
  | { readonly status: "found"; readonly text: string; readonly from: ArtifactPlace; readonly warning?: string }
  | { readonly status: "missing" }
  | { readonly status: "refused"; readonly reason: string; readonly detail: string };

/** An artifact at claim time. Checks and judges use this copy, even if the file changes. */
export type Artifact =
  | {
      readonly status: "found";
      readonly text: string;
      readonly hash: string;
      readonly path: string;
      readonly from: ArtifactPlace;
      readonly warning?: string;
    }
  | { readonly status: "missing"; readonly path: string }
  | { readonly status: "refused"; readonly path: string; readonly reason: string; readonly detail: string }
  /** The contract has no artifact. */
  | { readonly status: "none" };

/** Reads artifacts: from the worktree of the latest run, then from the project. `../node` has one for files. */
export interface ArtifactSource {
  readonly read: (path: string, options: { readonly worktree: string | undefined }) => Promise<ArtifactReading>;
}

/** Converts a reading to the artifact of a claim. */
export function readingToArtifact(reading: ArtifactReading, path: string): Artifact {
  return reading.status === "found" ? { ...reading, path, hash: hashContent(reading.text) } : { ...reading, path };
}

/** Creates a source that returns an artifact that was already read. */
export function artifactAsSource(artifact: Artifact): ArtifactSource {
  return {
    read: (path) => {
      if (artifact.status === "none" || artifact.path !== path) return Promise.resolve({ status: "missing" });
      const { path: _path, ...reading } = artifact;
      return Promise.resolve(reading);
    },
  };
}

/** Creates a source of artifacts in memory, by path: for tests, and for hosts without files. */
export function createMemoryArtifacts(files: {
  readonly worktree?: ReadonlyMap<string, string>;
  readonly project?: ReadonlyMap<string, string>;
}): ArtifactSource {
  return {
    read: (path, { worktree }) => {
      const own = worktree === undefined ? undefined : files.worktree?.get(path);
      if (own !== undefined) return Promise.resolve({ status: "found", text: own, from: "worktree" });
      const shared = files.project?.get(path);
      if (shared === undefined) return Promise.resolve({ status: "missing" });
      return Promise.resolve({ status: "found", text: shared, from: "project", ...projectWarning(worktree) });
    },
  };
}

/** A warning if the project's copy was used although the latest run has a worktree. */
export function projectWarning(worktree: string | undefined): { readonly warning?: string } {
  return worktree === undefined
    ? {}
    : { warning: "The worktree of the latest run has no such file; the project's copy was used." };
}
