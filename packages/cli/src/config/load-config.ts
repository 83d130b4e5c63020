import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { badConfig } from "../errors.ts";
import { loadModule } from "../load-module.ts";
import { PRESETS } from "./config-preset.ts";
import { configKeys, type PhasekitConfig } from "./define-config.ts";
import { unsafeBecause } from "./file-safety.ts";
import { configsIn, isData, searchedFolders } from "./find-config.ts";
import { hashCode, sha256Of } from "./hash-code.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { readBounded } from "./read-bounded.ts";
import { approvalOf } from "./trust-store.ts";
import { homeFolder } from "./user-folders.ts";

/** A config that was found and ignored. */
interface IgnoredConfig {
  readonly path: string;
  /** `changed`: the user approved different content. */
  readonly why: "unapproved" | "changed" | "unsafe";
  /** One line of text, with the fix. */
  readonly text: string;
}

/** A config, its path, and the folder its relative paths refer to. */
export interface LoadedConfig {
  readonly config: PhasekitConfig<string>;
  /** Absent without a config. */
  readonly path: string | undefined;
  readonly folder: string;
  /** Absent without a config. */
  readonly sha256?: string;
  /** The user named it on the command line. */
  readonly named: boolean;
  /** The user approved this content, with `phasekit trust` or `--trust-config`. */
  readonly approved: boolean;
  /** The policy file named by `policy`, if it may run. */
  readonly policyFile?: string;
  readonly ignored: readonly IgnoredConfig[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Options for `loadConfig()`. */
export interface ConfigSearch {
  readonly cwd: string;
  readonly env: Env;
  /** `--config` */
  readonly path: string | undefined;
  /** `--trust-config`: any config found may run. */
  readonly trustAll: boolean;
}

/** The result without a config. */
export const noConfig = (folder: string): LoadedConfig => ({
  config: {},
  path: undefined,
  folder,
  named: false,
  approved: false,
  ignored: [],
});

/**
 * Loads the named config, or the nearest one in this folder or above it, never above the repository or home. A data
 * config is read. A code config runs only if the user named or approved it; otherwise it is ignored.
 * @throws BAD_CONFIG, BAD_TRUST_STORE
 */
export async function loadConfig(search: ConfigSearch): Promise<LoadedConfig> {
  const { cwd, path: named } = search;
  const ignored: IgnoredConfig[] = [];
  const path = named === undefined ? await findConfig(search, ignored) : resolve(cwd, named);
  if (path === undefined) return { ...noConfig(cwd), ignored };
  if (!existsSync(path)) throw badConfig(path, "the file does not exist");
  const { config, sha256 } = isData(path) ? await readData(path) : await runCode(path);
  const loaded = {
    config,
    path,
    folder: dirname(path),
    sha256,
    named: named !== undefined,
    approved: search.trustAll || (await approval(path, search)) === "approved",
  };
  const policyFile = await policyFileOf(loaded, search, ignored);
  return { ...loaded, ...(policyFile !== undefined && { policyFile }), ignored };
}

async function findConfig(search: ConfigSearch, ignored: IgnoredConfig[]): Promise<string | undefined> {
  for (const folder of searchedFolders(search.cwd, homeFolder(search.env))) {
    let data: string | undefined;
    let code: string | undefined;
    for (const path of configsIn(folder)) {
      const problem = unsafeBecause(path);
      if (problem !== undefined)
        ignored.push({
          path,
          why: "unsafe",
          text: `Ignored ${shown(path, search)}: ${problem}. To use it: --config ${quoteForShell(shown(path, search))}`,
        });
      else if (isData(path)) data ??= path;
      else if (search.trustAll || (await approval(path, search)) === "approved") code ??= path;
      else ignored.push(await unapproved(path, search));
    }
    const found = code ?? data;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the policy file if the user approved it, or named the code config that names it. */
async function policyFileOf(
  {
    config: { policy },
    path,
    folder,
    named,
  }: Pick<LoadedConfig, "config" | "folder" | "named"> & { readonly path: string },
  search: ConfigSearch,
  ignored: IgnoredConfig[],
): Promise<string | undefined> {
  if (policy === undefined || PRESETS.includes(policy)) return undefined;
  const file = resolve(folder, policy);
  if (!existsSync(file))
    throw badConfig(path, `"policy" must be a preset (${PRESETS.join(", ")}) or a file, not "${policy}"`);
  if (search.trustAll || (!isData(path) && named) || (await approval(file, search)) === "approved") return file;
  ignored.push(await unapproved(file, search));
  return undefined;
}

async function unapproved(path: string, search: ConfigSearch): Promise<IgnoredConfig> {
  const isChanged = (await approval(path, search)) === "changed";
  const name = shown(path, search);
  return {
    path,
    why: isChanged ? "changed" : "unapproved",
    text: [
      `Did not run ${name}: ${isChanged ? "it changed since you approved it" : "you have not approved it"}`,
      `To approve it: ${trustCommand(name)}`,
    ].join(". "),
  };
}

/** Returns the command that approves a file. */
export const trustCommand = (name: string): string => `phasekit trust ${quoteForShell(name)}`;

const shown = (path: string, { cwd }: ConfigSearch): string => relative(cwd, path) || path;

function approval(path: string, { env }: ConfigSearch): ReturnType<typeof approvalOf> {
  return approvalOf(path, { env, hash: () => hashOf(path) });
}

/** Returns the hash of an approval: of the content; for code, including its relative imports. */
async function hashOf(path: string): Promise<string> {
  return isData(path) ? sha256Of(readDataFile(path)) : (await hashCode(path)).sha256;
}

async function readData(path: string): Promise<{ readonly config: PhasekitConfig<string>; readonly sha256: string }> {
  const content = readDataFile(path);
  // Imported here because most folders have no config.
  const { parseConfig } = await import("./parse-config.ts");
  return { config: parseConfig(content.toString("utf8"), path), sha256: sha256Of(content) };
}

/** More than `parseConfig` reads, in any encoding of its characters. */
const MAX_DATA = 64 * 1024;

/** A repository may hold anything under this name. */
function readDataFile(path: string): Buffer {
  try {
    return readBounded(path, { maxBytes: MAX_DATA });
  } catch (error) {
    throw badConfig(path, messageOf(error), error);
  }
}

async function runCode(path: string): Promise<{ readonly config: PhasekitConfig<string>; readonly sha256: string }> {
  const sha256 = await hashOf(path);
  let loaded: unknown;
  try {
    loaded = await loadModule(path);
  } catch (error) {
    throw badConfig(path, messageOf(error), error);
  }
  return { config: checkConfig(loaded, path), sha256 };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
}

function checkConfig(loaded: unknown, path: string): PhasekitConfig<string> {
  if (typeof loaded !== "object" || loaded === null || Array.isArray(loaded))
    throw badConfig(path, "the default export must be an object");
  const unknown = Object.keys(loaded).find(
    (key) => key !== "default" && !(configKeys as readonly string[]).includes(key),
  );
  if (unknown !== undefined) throw badConfig(path, `unknown key "${unknown}"; known keys: ${configKeys.join(", ")}`);
  const { runs, logs, contracts, run, policy, check, mode, database, worker } = loaded as PhasekitConfig<string>;
  for (const [name, value] of Object.entries({ runs, contracts, policy }))
    if (value !== undefined && typeof (value as unknown) !== "string")
      throw badConfig(path, `"${name}" must be a path`);
  if (mode !== undefined && !["observe", "nudge", "gate"].includes(mode))
    throw badConfig(path, '"mode" must be observe, nudge or gate');
  if (database !== undefined && typeof (database as unknown) !== "string")
    throw badConfig(path, '"database" must be a url');
  if (logs !== undefined && !(Array.isArray(logs) && logs.every((entry: unknown) => typeof entry === "string")))
    throw badConfig(path, '"logs" must be a list of paths');
  for (const [name, value] of Object.entries({ run, check, worker }))
    if (value !== undefined && typeof (value as unknown) !== "object")
      throw badConfig(path, `"${name}" must be an object`);
  return loaded;
}
