import { createHash } from "node:crypto";
import { join } from "node:path";
import { invalidStoreOption, unsafeDirectory } from "../errors.ts";
import type { FileSystem } from "./file-system.ts";

const PLAIN = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * The path of a folder, as it was given.
 * @throws INVALID_OPTION
 */
export function assertPath(folder: unknown): string {
  if (typeof folder === "string" && folder !== "") return folder;
  throw invalidStoreOption("folder", `it must be a path, such as ".phasekit/runs", and is ${kindOf(folder)}`);
}

function kindOf(value: unknown): string {
  if (value === "") return "empty";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** The folder of a run: its id where that is a safe name on every system, else a safe beginning and a hash. */
export function folderName(run: string): string {
  if (PLAIN.test(run) && !DEVICES.test(run) && !/[. ]$/.test(run)) return run;
  const start = run
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 24);
  return `~${start}-${createHash("sha256").update(run).digest("hex").slice(0, 24)}`;
}

/** Where the parts of a run's log are. */
export interface RunFolder {
  readonly root: string;
  readonly epochs: string;
  readonly log: string;
  readonly quarantine: string;
  readonly summary: string;
}

export function runFolder(root: string, folder: string): RunFolder {
  const base = join(root, folder);
  return {
    root: base,
    epochs: join(base, "epochs"),
    log: join(base, "log"),
    quarantine: join(base, "quarantine"),
    summary: join(base, "summary.json"),
  };
}

/**
 * A link in place of a folder would lead out of the store, for readers and for writers.
 * @throws UNSAFE_DIRECTORY
 */
export function checkRunFolder(files: FileSystem, { root, epochs, log, quarantine }: RunFolder): void {
  for (const path of [root, epochs, log, quarantine])
    if (files.stat(path)?.kind === "other") throw unsafeDirectory(path, "it is not a folder of its own");
}
