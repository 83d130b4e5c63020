import { type ChangedFile, patchFiles } from "../edits/patch-files.ts";

/** A tool's arguments as an object; a text that is not JSON stays a text. */
export type ToolInput = Readonly<Record<string, unknown>> | string | undefined;

const MAX_PARSED = 262_144;
const MAX_TEXT = 65_536;

/** Takes arguments as they come: an object, JSON text, or plain text. */
export function readInput(input: unknown): ToolInput {
  // Binary data says nothing here, and has as many members as bytes.
  if (ArrayBuffer.isView(input)) return undefined;
  if (typeof input === "object" && input !== null)
    return Array.isArray(input) ? { command: input } : (input as Readonly<Record<string, unknown>>);
  if (typeof input !== "string") return undefined;
  if (input.length > MAX_PARSED || !isObjectText(input)) return input;
  try {
    const parsed: unknown = JSON.parse(input);
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : input;
  } catch {
    return input;
  }
}

/** True if a text may be an object in JSON: a brace comes first. */
export function isObjectText(text: string): boolean {
  return text.startsWith("{") || (text.length > 1 && text.charCodeAt(0) <= 32 && /^\s{1,100}\{/.test(text));
}

/** The first of these members that is a text. */
export function firstText(input: ToolInput, keys: readonly string[]): string | undefined {
  if (typeof input !== "object") return undefined;
  for (const key of keys) {
    const value = input[key];
    if (typeof value === "string") return value;
  }
  return undefined;
}

const SHELLS = /(?:^|\/)(?:ba|z|da|k|fi)?sh$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const COMMANDS = ["command", "cmd", "commands", "script", "CommandLine", "bash_command", "commandLine", "chars"];
const TEXTS = ["input", "text"];

/** The command line of a shell call: a text, or a list of words as Codex has it. */
export function commandOf(input: ToolInput): string | undefined {
  if (typeof input !== "object") return input;
  for (const key of COMMANDS) {
    const command = input[key];
    if (typeof command === "string") return command;
    if (Array.isArray(command)) return wordsToLine(command.filter((word): word is string => typeof word === "string"));
  }
  return firstText(input, TEXTS);
}

function wordsToLine(words: readonly string[]): string {
  const [shell = "", flag = "", script] = words;
  if (script !== undefined && SHELLS.test(shell) && /^(?:-[a-z]*c|\/c|-Command)$/i.test(flag)) return script;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

const PATCH = /^(?:\*\*\* (?:Add|Update|Delete) File: |--- )/m;
const PATCHES = ["patch", "patchText", "diff", "input"];
const REMOVED = ["old_str", "old_string", "oldString", "oldText", "old_text", "search"];
const ADDED = ["new_str", "new_string", "newString", "newText", "new_text", "replace"];
const WHOLE = ["file_text", "content", "contents"];
const MAX_CHANGES = 64;

/** The files an edit changes, with what it takes away and adds, as far as the call itself says so. */
export function editedFiles(input: ToolInput, targets: readonly string[] | undefined): readonly ChangedFile[] {
  const patch = typeof input === "string" ? input : firstText(input, PATCHES);
  if (patch !== undefined && PATCH.test(patch.length > MAX_TEXT ? patch.slice(0, MAX_TEXT) : patch))
    return patchFiles(patch);
  const path = targets?.[0];
  if (path === undefined || typeof input !== "object") return [];
  const list = input["edits"];
  const changes = Array.isArray(list) ? list.slice(0, MAX_CHANGES).map(readInput) : [input];
  const writes =
    firstText(input, WHOLE) !== undefined && textsOf(changes, REMOVED) === "" && textsOf(changes, ADDED) === "";
  return [
    { path, how: writes ? "added" : "changed", lines: (sign) => textsOf(changes, sign === "-" ? REMOVED : ADDED) },
  ];
}

function textsOf(changes: readonly ToolInput[], keys: readonly string[]): string {
  const found =
    changes.length === 1
      ? (firstText(changes[0], keys) ?? "")
      : changes.map((change) => firstText(change, keys) ?? "").join("\n");
  return found.length > MAX_TEXT ? found.slice(0, MAX_TEXT) : found;
}
