import { isDeepStrictEqual } from "node:util";
import type { AgentName } from "@phasekit/hooks";
import { unexpectedSettings, unknownScope } from "../../errors.ts";
import { type ByteText, bytesToText } from "./byte-text.ts";
import { withoutMcpServer } from "./codex-config.ts";
import { type IsOurs, oursIn } from "./hook-entries.ts";
import { type InstallRecord, isMadeFile, type ReadBytes, readRecord, restorable } from "./install-record.ts";
import {
  codexConfig,
  type InstallPlace,
  type InstallScope,
  installScopes,
  installTarget,
  isInProcess,
  settingsDefaults,
} from "./install-target.ts";
import { type JsonPath, pruneInJson, setInJson } from "./json-text.ts";
import { renderDiff } from "./line-diff.ts";
import { isEmptySettings, parseSettings, stripHooks } from "./settings-text.ts";

/** A file a plan changes; `after` is undefined if it is removed. */
export interface PlannedFile {
  readonly path: string;
  readonly before: ByteText | undefined;
  readonly after: ByteText | undefined;
}

/** The files of one installation, and what is known about an earlier one. */
export interface InstallContext {
  readonly agent: AgentName;
  readonly scope: InstallScope;
  readonly target: string;
  readonly root: string;
  /** Phasekit's own configuration. */
  readonly config: string;
  /** The configuration that a project shares; undefined in other scopes. */
  readonly shared: string | undefined;
  /** The member of the configuration that holds the mode. */
  readonly modePath: readonly string[];
  /** Codex's configuration; undefined for other agents. */
  readonly servers: string | undefined;
  readonly read: ReadBytes;
  readonly record: InstallRecord | undefined;
  readonly isOurs: IsOurs;
}

/**
 * Finds the files of an installation.
 * @throws UNKNOWN_SCOPE
 */
export function installContext(agent: AgentName, place: InstallPlace, read: ReadBytes): InstallContext {
  const { scope = "user", home, cwd, root = `${home}/.phasekit` } = place;
  if (!installScopes(agent).includes(scope)) throw unknownScope(agent, scope, installScopes(agent));
  const target = installTarget(agent, place);
  const config = `${root}/hooks.json`;
  const shared = `${cwd}/.phasekit/hooks.json`;
  const record = readRecord(`${root}/installs`, target, read);
  return {
    agent,
    scope,
    target,
    root,
    config,
    // In the user's home both are one file.
    shared: scope === "project" && shared !== config ? shared : undefined,
    modePath: scope === "local" ? ["projects", cwd, "modes", agent] : ["modes", agent],
    servers: agent === "codex" ? codexConfig(target) : undefined,
    read,
    record,
    isOurs: oursIn(agent, { root, recorded: record?.runs }),
  };
}

/**
 * Returns a file as it is without Phasekit: byte for byte as it was, if it did not change since; else without exactly
 * the things that were added. Undefined if there is no file then.
 */
export function withoutUs(context: InstallContext, path: string): ByteText | undefined {
  const { agent, root, read, record, isOurs } = context;
  const current = read(path);
  const restored = restorable(record, { path, current, installs: `${root}/installs`, read });
  if (isInProcess(agent)) return restored?.before;
  const bytes = restored === undefined ? current : restored.before;
  if (bytes === undefined) return undefined;
  if (path === context.servers) {
    const left = withoutMcpServer(bytes, { root, recorded: record?.block });
    // Earlier versions did not record whether there was a file.
    const isMade = isMadeFile(record, path) || record?.made === undefined;
    return left === "" && left !== bytes && isMade ? undefined : left;
  }
  const stripped = stripHooks({ path, bytes, isOurs }, { made: record?.made });
  const isLeftOver =
    restored === undefined && isMadeFile(record, path) && isEmptySettings(stripped, settingsDefaults(agent));
  return isLeftOver ? undefined : stripped;
}

/**
 * Sets members of a file of Phasekit's that the user may have edited, or removes those whose value is undefined.
 * @throws UNREADABLE_SETTINGS, UNEXPECTED_SETTINGS
 */
export function editMembers(
  { path, bytes }: { readonly path: string; readonly bytes: ByteText | undefined },
  edits: readonly (readonly [member: readonly string[], value: unknown])[],
): ByteText {
  let text = bytes ?? "";
  for (const [member, value] of edits) {
    if (value === undefined) text = pruneInJson(text, member);
    else if (!isDeepStrictEqual(memberOf({ path, bytes: text }, member), value)) text = setInJson(text, member, value);
  }
  return text;
}

function memberOf(file: { readonly path: string; readonly bytes: ByteText }, member: JsonPath): unknown {
  let value: unknown = parseSettings(file);
  for (const [depth, name] of member.entries()) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw unexpectedSettings(file.path, member.slice(0, depth).join("."), "an object");
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value;
}

/** Renders the lines of a file that change. */
export function planDiff({ before, after }: PlannedFile): string {
  return renderDiff(shown(before), shown(after));
}

const LONG_LINE = 400;

/** JSON in long lines is shown with a line per member: what changes in it could not be seen. */
function shown(bytes: ByteText | undefined): string {
  const text = bytesToText(bytes ?? "");
  if (!text.split("\n").some((line) => line.length > LONG_LINE)) return text;
  try {
    return `${JSON.stringify(JSON.parse(text.replace(/^\uFEFF/, "")), null, 2)}\n`;
  } catch {
    return text;
  }
}
