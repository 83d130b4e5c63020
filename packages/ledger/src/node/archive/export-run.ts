import type { RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { createHash, randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { damagedArchive, unknownRun } from "../../errors.ts";
import type { PhaseRecord } from "../../records/phase-record.ts";
import { readRun, type RunStore } from "../../run-store.ts";
import { type RunSummary, type SummarizeOptions, summarizeRun } from "../../summarize-run.ts";
import { type FileSystem, nodeFileSystem, readWhole, writeNew } from "../file-system.ts";
import { folderName } from "../run-folder.ts";

/** A file beside the summary, and how to tell that it is the one that was written. */
export interface Sidecar {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly rawBytes: number;
  readonly rawSha256: string;
}

/** The content of `summary.json.gz`. */
export interface ExportedRun {
  readonly v: 1;
  readonly summary: RunSummary;
  readonly sidecars: readonly Sidecar[];
}

/** A run read back from its archive; problems with single files are listed, and the rest is usable. */
export interface ImportedRun {
  readonly summary: RunSummary;
  /** Absent when the file of the events is missing or damaged. */
  readonly events?: readonly RunEvent[];
  /** The contents of the other files, by name. */
  readonly sidecars: ReadonlyMap<string, unknown>;
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

const SUMMARY = "summary.json.gz";
const EVENTS = "events.json.gz";
const MAX_SUMMARY = 16 * 1024 * 1024;
const MAX_RAW = 1024 * 1024 * 1024;
const NAME =
  /^(?:failures\/\d{4}-[0-9TZ-]{1,30}\.\d{3}Z\/)?[~a-z0-9][a-z0-9_-]{0,80}(?:\.(?:error|checkpoint|stagnation))?\.json\.gz$/;

/** Options for `exportRun()`. */
export interface ExportOptions extends Pick<SummarizeOptions, "assumeUncached"> {
  readonly folder: string;
  /** @default the file system of this machine */
  readonly files?: FileSystem;
}

/**
 * Writes a run as an archive folder: `summary.json.gz`, `<phase>.error.json.gz` and `<phase>.checkpoint.json.gz` for
 * phases that failed, `failures/<started>/<phase>.stagnation.json.gz` for loops that were stopped, and the events. The
 * summary comes last: an export that was cut off has none, and can be repeated.
 *
 * @throws UNKNOWN_RUN
 */
export async function exportRun(
  store: RunStore,
  runId: string,
  { folder, files = nodeFileSystem(), ...options }: ExportOptions,
): Promise<ExportedRun> {
  const events = await readRun(store, runId);
  if (events.length === 0) throw unknownRun(runId);
  const summary = summarizeRun(events, options);
  const sidecars: Sidecar[] = [];
  const put = (name: string, content: unknown): void => {
    const raw = Buffer.from(`${JSON.stringify(content)}\n`);
    const packed = gzipSync(raw);
    replace(files, join(folder, name), packed);
    if (name !== SUMMARY)
      sidecars.push({ name, bytes: packed.length, sha256: hash(packed), rawBytes: raw.length, rawSha256: hash(raw) });
  };
  files.makeFolder(folder);
  clearDrafts(files, folder);
  put(EVENTS, events);
  for (const record of summary.phases.filter(({ success }) => !success)) putFailure(record, { put, events, options });
  const exported: ExportedRun = {
    v: 1,
    summary,
    sidecars: [...new Map(sidecars.map((sidecar) => [sidecar.name, sidecar])).values()],
  };
  put(SUMMARY, exported);
  files.syncFolder(folder);
  return exported;
}

function putFailure(
  record: PhaseRecord,
  {
    put,
    events,
    options,
  }: {
    readonly put: (name: string, content: unknown) => void;
    readonly events: readonly RunEvent[];
    readonly options: SummarizeOptions;
  },
): void {
  const { phase, entry, attempt, firstSeq, lastSeq, lastStagnation } = record;
  const name = fileName(phase);
  const own = events.slice(firstSeq - 1, lastSeq);
  const thrown = own.findLast((event) => event.type === "run.finished" || event.type === "model.failed");
  const error = thrown?.type === "run.finished" || thrown?.type === "model.failed" ? thrown.error : undefined;
  if (error !== undefined) put(`${name}.error.json.gz`, { entry, attempt, reason: record.reason, error });
  // The fold at the last turn that was complete: a convenience, never trusted over the events.
  const turnEnd = own.findLast((event, index) => index > 0 && event.turn !== own[index - 1]?.turn)?.seq ?? firstSeq;
  put(`${name}.checkpoint.json.gz`, {
    entry,
    attempt,
    seq: turnEnd - 1,
    summary: summarizeRun(events.slice(0, Math.max(1, turnEnd - 1)), { ...options, alive: true }),
  });
  if (lastStagnation !== undefined) {
    const started = new Date(record.startedAt).toISOString().replaceAll(":", "-");
    put(`failures/${started}/${name}.stagnation.json.gz`, {
      entry,
      attempt,
      stagnation: lastStagnation,
      alerts: record.alerts,
      subLoops: record.subLoops,
    });
  }
}

/**
 * Reads an archive folder back. Sizes and hashes are checked before and after unpacking, nothing unpacks to more than
 * it says, and no name from inside a file is used as a path unless it is one that an export writes.
 *
 * @throws ARCHIVE_DAMAGED when the summary itself cannot be used
 */
export function importRun(
  folder: string,
  { files = nodeFileSystem() }: { readonly files?: FileSystem } = {},
): ImportedRun {
  const exported = readSummary(files, join(folder, SUMMARY));
  const sidecars = new Map<string, unknown>();
  const problems: { name: string; problem: string }[] = [];
  for (const sidecar of exported.sidecars) {
    try {
      sidecars.set(sidecar.name, readSidecar(files, folder, sidecar));
    } catch (error) {
      problems.push({ name: sidecar.name, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  const events = sidecars.get(EVENTS) as readonly RunEvent[] | undefined;
  sidecars.delete(EVENTS);
  return { summary: exported.summary, ...defined({ events }), sidecars, problems };
}

function readSummary(files: FileSystem, path: string): ExportedRun {
  try {
    const packed = readWhole(files, path, MAX_SUMMARY);
    const exported = JSON.parse(
      gunzipSync(packed, { maxOutputLength: MAX_SUMMARY }).toString("utf8"),
    ) as Partial<ExportedRun>;
    if (exported.v !== 1 || typeof exported.summary !== "object" || !Array.isArray(exported.sidecars))
      throw new Error("it is not a summary of a version we know");
    return exported as ExportedRun;
  } catch (error) {
    throw damagedArchive(SUMMARY, error instanceof Error ? error.message : String(error));
  }
}

function readSidecar(
  files: FileSystem,
  folder: string,
  { name, bytes, sha256, rawBytes, rawSha256 }: Sidecar,
): unknown {
  if (!NAME.test(name)) throw damagedArchive(name, "exportRun does not write this name");
  if (!(rawBytes >= 0 && rawBytes <= MAX_RAW)) throw damagedArchive(name, "its size is over the limit");
  const path = join(folder, name);
  if (files.stat(path)?.kind !== "file") throw damagedArchive(name, "it is missing");
  const packed = readWhole(files, path, bytes + 1);
  if (packed.length !== bytes || hash(packed) !== sha256)
    throw damagedArchive(name, "it is not the file that was written");
  const raw = gunzipSync(packed, { maxOutputLength: Math.max(1, rawBytes) });
  if (raw.length !== rawBytes || hash(raw) !== rawSha256)
    throw damagedArchive(name, "it does not unpack to what was written");
  return JSON.parse(raw.toString("utf8"));
}

/** Writes beside and renames, so that a reader sees the old file or the new one and never half of either. */
function replace(files: FileSystem, path: string, bytes: Buffer): void {
  files.makeFolder(dirname(path));
  for (let attempt = 1; ; attempt += 1) {
    const draft = `${path}.${randomUUID()}.tmp`;
    writeNew(files, draft, bytes);
    try {
      files.rename(draft, path);
      return;
    } catch (error) {
      // Another export into this folder took the draft for one that a crash had left.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 5;
const DRAFT = /\.json\.gz\.[0-9a-f-]{36}\.tmp$/;

/** Removes what an export that was cut off left beside its files. */
function clearDrafts(files: FileSystem, folder: string): void {
  const failures = join(folder, "failures");
  const folders =
    files.stat(failures)?.kind === "folder" ? files.names(failures).map((name) => join(failures, name)) : [];
  for (const path of [folder, ...folders]) {
    if (files.stat(path)?.kind !== "folder") continue;
    for (const name of files.names(path)) if (DRAFT.test(name)) files.remove(join(path, name));
  }
}

const fileName = (phase: string): string => folderName(phase).replaceAll(".", "-");
const hash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
