import { isDeepStrictEqual } from "node:util";
import { isObject, listIn, toObject } from "@phasekit/core/adapter";
import { unexpectedSettings, unreadableSettings } from "../../errors.ts";
import type { ByteText } from "./byte-text.ts";
import { type Handler, handlersIn, type IsOurs } from "./hook-entries.ts";
import { type JsonPath, parseJsonBytes, removeInJson, setInJson } from "./json-text.ts";

/** An agent's settings file. */
export interface SettingsFile {
  readonly path: string;
  readonly bytes: ByteText | undefined;
  /** Which hooks are Phasekit's. */
  readonly isOurs: IsOurs;
}

/** Options for `mergeHooks()`. */
export interface MergeOptions {
  /** The entry of each event. */
  readonly entries: ReadonlyMap<string, object>;
  /** Members that the file must have beside its hooks. */
  readonly defaults?: object | undefined;
  /** Claude Code's status line, added unless the user has one. */
  readonly statusLine?: object | undefined;
  /** The members that an earlier installation added. */
  readonly earlier?: readonly JsonPath[] | undefined;
}

/** Settings with hooks, and the members that were added to hold them. */
export interface MergedSettings {
  readonly bytes: ByteText;
  readonly made: readonly JsonPath[];
}

/**
 * Adds hook entries beside those that are there. Phasekit's earlier hooks are replaced in their place: Codex trusts a
 * hook by its place, too. Every other byte stays.
 * @throws UNREADABLE_SETTINGS, UNEXPECTED_SETTINGS
 */
export function mergeHooks(
  file: SettingsFile,
  { entries, defaults = {}, statusLine, earlier }: MergeOptions,
): MergedSettings {
  const settings = parseSettings(file);
  const hooks = checkedHooks(file, settings, [...entries.keys()]);
  const made: JsonPath[] = [];
  let bytes = file.bytes ?? "";
  const set = (path: JsonPath, value: unknown): void => void (bytes = setInJson(bytes, path, value));
  const add = (path: JsonPath, value: unknown): void => {
    made.push(path);
    set(path, value);
  };
  for (const [name, value] of Object.entries(defaults)) if (!Object.hasOwn(settings, name)) add([name], value);
  const { kept, removals } = ourHandlers(file, settings, { made: earlier, isKept: (event) => entries.has(event) });
  for (const [event, { path, value }] of kept) {
    const [wanted] = handlersIn({ hooks: { [event]: [entries.get(event)] } });
    if (!isDeepStrictEqual(value, wanted?.value)) set(path, wanted?.value);
  }
  for (const path of removals) bytes = removeInJson(bytes, path);
  if (hooks === undefined) {
    add(["hooks"], Object.fromEntries([...entries].map(([event, entry]) => [event, [entry]])));
    made.push(...[...entries.keys()].map((event) => ["hooks", event]));
  } else
    for (const [event, entry] of entries) {
      if (kept.has(event)) continue;
      if (!Object.hasOwn(hooks, event)) add(["hooks", event], [entry]);
      else set(["hooks", event, listIn(hooks[event]).length], entry);
    }
  if (statusLine !== undefined) {
    const current = settings["statusLine"];
    if (!Object.hasOwn(settings, "statusLine")) add(["statusLine"], statusLine);
    else if (file.isOurs(current) && !isDeepStrictEqual(current, statusLine)) set(["statusLine"], statusLine);
  }
  return { bytes, made };
}

/** Options for `stripHooks()`. */
export interface StripOptions {
  /** The members that an installation added; without a record, all that held nothing else. */
  readonly made?: readonly JsonPath[] | undefined;
}

/**
 * Removes Phasekit's hooks, and the members that were added for them and are empty now. Every other byte stays.
 * @throws UNREADABLE_SETTINGS
 */
export function stripHooks(file: SettingsFile, { made }: StripOptions = {}): ByteText {
  const settings = parseSettings(file);
  const { removals } = ourHandlers(file, settings, { made });
  let bytes = file.bytes ?? "";
  for (const path of removals) bytes = removeInJson(bytes, path);
  return file.isOurs(settings["statusLine"]) ? removeInJson(bytes, ["statusLine"]) : bytes;
}

/** True if settings hold nothing but what an installation adds to a new file. */
export function isEmptySettings(bytes: ByteText, defaults: object = {}): boolean {
  return Object.keys(toObject(parseJsonBytes(bytes))).every((name) => Object.hasOwn(defaults, name));
}

/**
 * Returns the settings of a file.
 * @throws UNREADABLE_SETTINGS
 */
export function parseSettings({
  path,
  bytes = "",
}: Pick<SettingsFile, "path" | "bytes">): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch (error) {
    throw unreadableSettings(path, error instanceof Error ? error.message : String(error));
  }
  if (!isObject(value)) throw unreadableSettings(path, "it is not an object");
  return value;
}

/** The hooks by event; undefined if there are none. Refuses values that no agent reads, instead of replacing them. */
function checkedHooks(
  { path }: SettingsFile,
  settings: Readonly<Record<string, unknown>>,
  events: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  if (!Object.hasOwn(settings, "hooks")) return undefined;
  const { hooks } = settings;
  if (!isObject(hooks)) throw unexpectedSettings(path, "hooks", "an object");
  for (const event of events)
    if (Object.hasOwn(hooks, event) && !Array.isArray(hooks[event]))
      throw unexpectedSettings(path, `hooks.${event}`, "a list");
  return hooks;
}

interface OurHandlers {
  /** The first hook of each event that keeps one. */
  readonly kept: ReadonlyMap<string, Handler>;
  /** The paths to remove, the last first. */
  readonly removals: readonly JsonPath[];
}

/** Phasekit's hooks, and the paths that remove them: a whole group, event or `hooks` if it holds nothing else. */
function ourHandlers(
  { isOurs }: SettingsFile,
  settings: Readonly<Record<string, unknown>>,
  { made, isKept }: StripOptions & { readonly isKept?: (event: string) => boolean },
): OurHandlers {
  const ours = handlersIn(settings).filter(({ value }) => isOurs(value));
  const kept = new Map(
    [...ours]
      .reverse()
      .filter(({ event }) => isKept?.(event) === true)
      .map((handler) => [handler.event, handler]),
  );
  const isMade = (path: JsonPath): boolean => made?.some((one) => isDeepStrictEqual(one, path)) ?? true;
  let gone: readonly JsonPath[] = ours.filter((one) => kept.get(one.event) !== one).map(({ path }) => path);
  gone = widened(gone, settings, { size: 5, to: 3, isMade: () => true });
  gone = widened(gone, settings, { size: 3, to: 2, isMade });
  if (isKept === undefined) gone = widened(gone, settings, { size: 2, to: 1, isMade });
  return { kept, removals: [...gone].reverse() };
}

/** Replaces the paths of all items of a container by the path `to` the container. */
function widened(
  paths: readonly JsonPath[],
  settings: unknown,
  { size, to, isMade }: { readonly size: number; readonly to: number; readonly isMade: (path: JsonPath) => boolean },
): readonly JsonPath[] {
  const wide = new Map<string, JsonPath>();
  for (const path of paths) {
    const above = path.slice(0, to);
    const isPart = (one: JsonPath): boolean => one.length === size && isDeepStrictEqual(one.slice(0, to), above);
    const isAll = path.length === size && paths.filter(isPart).length === itemCount(settings, path.slice(0, -1));
    const chosen = isAll && isMade(above) ? above : path;
    wide.set(JSON.stringify(chosen), chosen);
  }
  return [...wide.values()];
}

function itemCount(settings: unknown, path: JsonPath): number {
  const container = path.reduce((value, step) => (value as Readonly<Record<string | number, unknown>>)[step], settings);
  return Object.keys(container as object).length;
}
