import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { isObject, listIn, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { type AgentName, isAgentName } from "@phasekit/hooks";
import { type ByteText, textToBytes } from "./byte-text.ts";
import { handlersIn, runsWhat } from "./hook-entries.ts";
import { type JsonPath, parseJsonBytes } from "./json-text.ts";

/** A record of an installation: exactly what it added. An uninstall removes that, and nothing that resembles it. */
export interface InstallRecord {
  readonly version: 2;
  readonly agent: AgentName;
  readonly scope: string;
  /** The agent's settings file, or the file it loads. */
  readonly target: string;
  /** The things that the hooks run, see `runsWhat()`. */
  readonly runs: readonly string[];
  /** The members that were added to hold the hooks; undefined if it is not known. */
  readonly made?: readonly JsonPath[];
  /** The block in Codex's configuration. */
  readonly block?: ByteText;
  /** The files with content of others, each as it was and as it became. */
  readonly files: readonly RecordedFile[];
  /** The folders that were made for the files. */
  readonly folders: readonly string[];
}

/** A file before and after an installation, by the hashes of its bytes. */
interface RecordedFile {
  readonly path: string;
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** The bytes before, where a record of an earlier version holds them. */
  readonly kept?: ByteText;
}

/** Reads a file; undefined if there is none. */
export type ReadBytes = (path: string) => ByteText | undefined;

/** The hash of a file's bytes. */
export function hashOf(bytes: ByteText): string {
  return createHash("sha256").update(bytes, "latin1").digest("hex");
}

const shortHash = (path: string): string => createHash("sha256").update(path).digest("hex").slice(0, 16);

/** The record of an installation into a file. */
export function recordPath(installs: string, target: string): string {
  return `${installs}/${shortHash(target)}.json`;
}

/** The file as it was before the installation. */
export function backupPath(installs: string, path: string): string {
  return `${installs}/${shortHash(path)}.${basename(path)}.backup`;
}

/** Returns the record of an installation into a file; undefined if there is none, or if it is damaged. */
export function readRecord(installs: string, target: string, read: ReadBytes): InstallRecord | undefined {
  const bytes = read(recordPath(installs, target));
  if (bytes === undefined) return undefined;
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch {
    return undefined;
  }
  const { version, agent, scope, before, after } = toObject(value);
  const name = textIn(agent);
  if (!isAgentName(name)) return undefined;
  const known = { version: 2, agent: name, scope: textIn(scope), target } as const;
  return version === 2
    ? { ...known, ...partsOf(toObject(value)) }
    : { ...known, ...earlierParts(target, before, after) };
}

type Parts = Omit<InstallRecord, "version" | "agent" | "scope" | "target">;

function partsOf({ runs, made, block, files, folders }: Readonly<Record<string, unknown>>): Parts {
  return {
    runs: texts(runs),
    ...(Array.isArray(made) && { made: listIn(made).map((path) => texts(path)) }),
    ...(typeof block === "string" && { block }),
    files: listIn(files)
      .map(toObject)
      .map(({ path, before, after }) => ({ path: textIn(path), before: nameIn(before) ?? null, after: textIn(after) })),
    folders: texts(folders),
  };
}

const texts = (value: unknown): readonly string[] => listIn(value).filter((one) => typeof one === "string");

/** Earlier versions kept the whole text of the settings before and after. */
function earlierParts(target: string, before: unknown, after: unknown): Parts {
  const runsIn = (text: unknown): readonly string[] => {
    const settings = parsed(text);
    return [...handlersIn(settings).map(({ value }) => value), settings["statusLine"]].flatMap(
      (handler) => runsWhat(handler) ?? [],
    );
  };
  const others = new Set(runsIn(before));
  return {
    runs: runsIn(after).filter((line) => !others.has(line)),
    files: [
      {
        path: target,
        before: typeof before === "string" ? hashOf(textToBytes(before)) : null,
        after: hashOf(textToBytes(textIn(after))),
        ...(typeof before === "string" && { kept: textToBytes(before) }),
      },
    ],
    folders: before === null ? [dirname(target)] : [],
  };
}

function parsed(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const value = parseJsonBytes(textToBytes(textIn(text)));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Returns the bytes to which an uninstall restores a file byte for byte: it is as the installation left it, and the
 * backup is whole. `before` is undefined if there was no file.
 */
export function restorable(
  record: InstallRecord | undefined,
  {
    path,
    current,
    installs,
    read,
  }: {
    readonly path: string;
    readonly current: ByteText | undefined;
    readonly installs: string;
    readonly read: ReadBytes;
  },
): { readonly before: ByteText | undefined } | undefined {
  const recorded = record?.files.find((file) => file.path === path);
  if (recorded === undefined || current === undefined || hashOf(current) !== recorded.after) return undefined;
  if (recorded.before === null) return { before: undefined };
  const before = recorded.kept ?? read(backupPath(installs, path));
  return before !== undefined && hashOf(before) === recorded.before ? { before } : undefined;
}

/** The text of a record. */
export function printRecord(record: InstallRecord): ByteText {
  return textToBytes(`${JSON.stringify(record, null, 2)}\n`);
}

/** True if an installation made the file. */
export function isMadeFile(record: InstallRecord | undefined, path: string): boolean {
  return record?.files.some((file) => file.path === path && file.before === null) === true;
}
