import { patchFiles, type PatchedFile } from "./patch-files.ts";

/** A tool's arguments as an object; a text that is not JSON stays a text. */
export type ToolInput = Readonly<Record<string, unknown>> | string | undefined;

const MAX_PARSED = 262_144;
const MAX_TEXT = 65_536;

/** Takes arguments as they come: an object, JSON text, or plain text. */
export function readInput(input: unknown): ToolInput {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input as Readonly<Record<string, unknown>>;
  if (Array.isArray(input)) return { command: input };
  if (typeof input !== "string") return undefined;
  if (input.length > MAX_PARSED || !/^\s*\{/.test(input.slice(0, 100))) return input;
  try {
    const parsed: unknown = JSON.parse(input);
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : input;
  } catch {
    return input;
  }
}

/** The first of these members that is a text. */
export function textOf(input: ToolInput, ...keys: readonly string[]): string | undefined {
  if (typeof input !== "object") return undefined;
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (typeof value === "string") return value;
  }
  return undefined;
}

const SHELLS = /(?:^|\/)(?:ba|z|da|k|fi)?sh$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;

/** The command line of a shell call: a text, or a list of words as Codex has it. */
export function commandOf(input: ToolInput): string | undefined {
  if (typeof input === "string") return input;
  if (input === undefined) return undefined;
  const command = ["command", "cmd", "commands", "script", "CommandLine", "bash_command", "commandLine", "chars"].map((key) => (Object.hasOwn(input, key) ? input[key] : undefined)).find((value) => value !== undefined);
  if (typeof command === "string") return command;
  if (Array.isArray(command)) {
    const words = command.filter((word): word is string => typeof word === "string");
    const [shell = "", flag = "", script] = words;
    if (script !== undefined && SHELLS.test(shell) && /^(?:-[a-z]*c|\/c|-Command)$/i.test(flag)) return script;
    return words.map(quoted).join(" ");
  }
  return textOf(input, "input", "text");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The files an edit changes, with what it takes away and adds, as far as the call itself says so. */
export function editedFiles(input: ToolInput, targets: readonly string[]): readonly PatchedFile[] {
  const patch = typeof input === "string" ? input : textOf(input, "patch", "patchText", "diff", "input");
  if (patch !== undefined && /^(?:\*\*\* (?:Add|Update|Delete) File: |--- )/m.test(patch.slice(0, MAX_TEXT))) return patchFiles(patch);
  const [path] = targets;
  if (path === undefined || typeof input !== "object") return [];
  const changes = Array.isArray(input["edits"]) ? (input["edits"] as readonly unknown[]).slice(0, 64).map(readInput) : [input];
  const removed = changes.map((change) => textOf(change, "old_str", "old_string", "oldString", "oldText", "old_text", "search") ?? "").join("\n");
  const added = changes.map((change) => textOf(change, "new_str", "new_string", "newString", "newText", "new_text", "replace") ?? "").join("\n");
  if (removed.trim() === "" && added.trim() === "") return [{ path, how: textOf(input, "file_text", "content", "contents") === undefined ? "changed" : "added", removed: "", added: "" }];
  return [{ path, how: "changed", removed: removed.slice(0, MAX_TEXT), added: added.slice(0, MAX_TEXT) }];
}
