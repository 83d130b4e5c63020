import { stat } from "node:fs/promises";
import { type ArtifactReading, type ArtifactSource, projectWarning } from "../contract/artifact.ts";
import { pathProblem } from "../contract/relative-path.ts";
import { type FileRead, holdFolder, readRegularFile } from "./safe-files.ts";

/** Options for `createArtifactFiles()`. */
export interface ArtifactFilesOptions {
  /** Root of the project's copy, used if the worktree of the latest run has no file. */
  readonly projectRoot: string;
  /** @default 1048576 */
  readonly maxBytes?: number;
}

/** Creates a source of artifact files: the worktree of the latest run, then the project. Never follows links. */
export function createArtifactFiles({ projectRoot, maxBytes = 1_048_576 }: ArtifactFilesOptions): ArtifactSource {
  return {
    read: async (path, { worktree }) => {
      const problem = pathProblem(path);
      if (problem !== undefined) return { status: "refused", ...problem };
      if (worktree !== undefined && (await isFolder(worktree))) {
        const read = await readBelow(worktree, path, maxBytes);
        if (read.ok || read.reason !== "missing") return toReading(read, "worktree");
      }
      const read = await readBelow(projectRoot, path, maxBytes);
      if (!read.ok && read.reason === "missing") return { status: "missing" };
      const reading = toReading(read, "project");
      return reading.status === "found" ? { ...reading, ...projectWarning(worktree) } : reading;
    },
  };
}

/** Reads a file below a root without following any link on the path. */
async function readBelow(root: string, path: string, maxBytes: number): Promise<FileRead> {
  const parts = path.split("/");
  const folder = await holdFolder(root, parts.slice(0, -1));
  if ("ok" in folder) return folder;
  try {
    return await readRegularFile(folder.at(parts.at(-1) ?? ""), { maxBytes });
  } finally {
    await folder.close();
  }
}

function toReading(read: FileRead, from: "worktree" | "project"): ArtifactReading {
  if (!read.ok) return { status: "refused", reason: read.reason, detail: read.detail };
  try {
    return { status: "found", from, text: new TextDecoder("utf-8", { fatal: true }).decode(read.bytes) };
  } catch {
    return { status: "refused", reason: "encoding", detail: "it is not valid UTF-8" };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
