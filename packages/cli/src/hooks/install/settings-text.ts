import { listIn, toObject } from "@phasekit/core/kit";
import { unreadableSettings } from "../../errors.ts";
import { isOurEntry } from "./hook-entries.ts";

/** An agent's settings file. */
export interface SettingsFile {
  readonly path: string;
  readonly text: string | undefined;
  /** Members a new file has beside its hooks. */
  readonly defaults?: object | undefined;
  /** Claude Code's status line, added unless there is one. */
  readonly statusLine?: object | undefined;
}

/**
 * The settings with hook entries beside those that are there; Phasekit's earlier entries are replaced.
 * @throws UNREADABLE_SETTINGS
 */
export function mergeHooks(file: SettingsFile, entries: Readonly<Record<string, readonly object[]>>): string {
  const settings = { ...file.defaults, ...parse(file) };
  const hooks: Record<string, unknown> = { ...toObject(settings["hooks"]) };
  for (const [event, added] of Object.entries(entries)) hooks[event] = replaced(listIn(hooks[event]), added);
  const { statusLine } = file;
  return print({ ...(statusLine !== undefined && { statusLine }), ...settings, hooks }, file.text);
}

/**
 * The settings without Phasekit's entries; undefined if nothing but them was there.
 * @throws UNREADABLE_SETTINGS
 */
export function stripHooks(file: SettingsFile): string | undefined {
  // Settings without our entries keep their layout, too.
  if (!isOurEntry(parse(file))) return file.text;
  const settings: Record<string, unknown> = { ...parse(file) };
  const hooks = Object.entries(toObject(settings["hooks"]))
    .map(([event, entries]): [string, unknown] => {
      const kept = listIn(entries).filter((entry) => !isOurEntry(entry));
      return [event, kept.length === listIn(entries).length ? entries : kept];
    })
    .filter(([, entries]) => !Array.isArray(entries) || entries.length > 0);
  if (isOurEntry(settings["statusLine"])) delete settings["statusLine"];
  if (hooks.length === 0) delete settings["hooks"];
  else settings["hooks"] = Object.fromEntries(hooks);
  const isEmpty = Object.keys(settings).every((key) => key in (file.defaults ?? {}));
  return isEmpty ? undefined : print(settings, file.text);
}

/** The entries with ours in their old place, else at the end: Codex trusts a hook by its place, too. */
function replaced(entries: readonly unknown[], added: readonly object[]): readonly unknown[] {
  const place = entries.findIndex(isOurEntry);
  const others = entries.filter((entry) => !isOurEntry(entry));
  return place < 0 ? [...others, ...added] : [...others.slice(0, place), ...added, ...others.slice(place)];
}

function parse({ path, text }: SettingsFile): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw unreadableSettings(path, error instanceof Error ? error.message : String(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadableSettings(path, "it is not an object");
  return value as Readonly<Record<string, unknown>>;
}

function print(value: object, like = ""): string {
  const indent = /\n([ \t]+)\S/.exec(like)?.[1] ?? "  ";
  const text = JSON.stringify(value, null, indent);
  const ending = like.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.replaceAll("\n", ending);
  return like === "" || like.endsWith("\n") ? lines + ending : lines;
}
