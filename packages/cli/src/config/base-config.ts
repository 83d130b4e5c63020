import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";
import { badArgument } from "../errors.ts";
import type { CheckLimits, DeclarativeConfig } from "./define-config.ts";
import { codeNames, dataNames, isData, isInside } from "./find-config.ts";
import { hashCode } from "./hash-code.ts";
import type { LoadedConfig } from "./load-config.ts";

/** The config of a folder in the base commit. */
export interface ConfigBase {
  /** The commit; absent outside a repository or in one without commits. */
  readonly commit?: string;
  /** The name the commit was found by, such as `origin/main` or `HEAD`. */
  readonly name?: string;
  /** How the config changed since then. `none`: no config then and now. */
  readonly change: "same" | "changed" | "new" | "removed" | "none" | "unknown";
  /** The data config of the base commit. */
  readonly config: DeclarativeConfig;
  /** Paths of code configs in the base commit that are now missing or different. */
  readonly changedCode: readonly string[];
}

type Git = (...args: readonly string[]) => Promise<Buffer | undefined>;

/**
 * Compares the config of a folder with the base commit. The base is `--base`, else the merge base with the default
 * branch, else HEAD.
 * @throws BAD_ARGUMENT if `--base` is not a commit
 */
export async function readConfigBase(
  { path, ignored }: Pick<LoadedConfig, "path" | "ignored">,
  { cwd, base }: { readonly cwd: string; readonly base: string | undefined },
): Promise<ConfigBase> {
  const git = gitIn(cwd);
  const found = await findBase(git, base);
  if (base !== undefined && found === undefined)
    throw badArgument(
      `--base "${base}" is not a commit of this repository`,
      "Name a commit or branch: `--base origin/main`. In CI, fetch the whole history.",
    );
  const top = (await git("rev-parse", "--show-toplevel"))?.toString().trim();
  if (found === undefined || top === undefined || top === "")
    return { change: path === undefined ? "none" : "unknown", config: {}, changedCode: [] };
  const tree = treeOf(git, found.commit, top);
  const start = realpathSync(cwd);
  const known = await tree.configsFrom(start);
  const before = known.find(isData);
  const text = before === undefined ? undefined : await tree.read(before);
  const { parseConfig } = await import("./parse-config.ts");
  const seen = [...(path === undefined ? [] : [path]), ...ignored.map((entry) => entry.path)].map(realOr);
  const changedCode: string[] = [];
  for (const file of known.filter((name) => !isData(name)))
    if (!seen.includes(file) || !(await isSame(file, tree.read))) changedCode.push(file);
  return {
    ...found,
    change: await changeOf(path === undefined ? undefined : realOr(path), { known, read: tree.read }),
    config:
      before === undefined || text === undefined ? {} : parseOld(() => parseConfig(text.toString("utf8"), before)),
    changedCode,
  };
}

/**
 * Returns the limits that apply. An unapproved config may only tighten the limits of the base commit, since the agent
 * under check may have written it.
 */
export function tightest(now: CheckLimits, before: CheckLimits): CheckLimits {
  const least = (name: "maxTurns" | "maxTokens" | "maxWastedCalls"): Partial<CheckLimits> => {
    const values = [now[name], before[name]].filter((value) => value !== undefined);
    return values.length === 0 ? {} : { [name]: Math.min(...values) };
  };
  return {
    without: (now.without ?? []).filter((gate) => before.without?.includes(gate) === true),
    ...strictest(now.evidence, before.evidence),
    ...least("maxTurns"),
    ...least("maxTokens"),
    ...least("maxWastedCalls"),
  };
}

function strictest(...grades: readonly CheckLimits["evidence"][]): Partial<CheckLimits> {
  const evidence = (["proven", "supported", "weak"] as const).find((grade) => grades.includes(grade));
  return evidence === undefined ? {} : { evidence };
}

/** An unreadable config of the base commit counts as empty. */
function parseOld(parse: () => DeclarativeConfig): DeclarativeConfig {
  try {
    return parse();
  } catch {
    return {};
  }
}

type Read = (file: string) => Promise<Buffer | undefined>;

async function changeOf(
  path: string | undefined,
  { known, read }: { readonly known: readonly string[]; readonly read: Read },
): Promise<ConfigBase["change"]> {
  if (path === undefined) return known.length === 0 ? "none" : "removed";
  if ((await read(path)) === undefined) return "new";
  return (await isSame(path, read)) ? "same" : "changed";
}

/** Compares a file and, for code, everything it imports by relative paths; ignores line endings. */
async function isSame(path: string, read: Read): Promise<boolean> {
  if (!existsSync(path)) return false;
  const files = isData(path) ? [path] : (await hashCode(path)).files;
  for (const file of files) {
    const before = await read(file);
    if (before === undefined || plain(before) !== plain(await readFile(file))) return false;
  }
  return true;
}

const plain = (content: Buffer): string => content.toString("latin1").replaceAll("\r\n", "\n");

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads the files of a commit by their paths on disk. */
function treeOf(
  git: Git,
  commit: string,
  top: string,
): { readonly read: Read; readonly configsFrom: (folder: string) => Promise<readonly string[]> } {
  const inTree = (path: string): string => relative(top, path).split(sep).join("/");
  return {
    read: async (file) =>
      isInside(file, top) ? await git("cat-file", "blob", `${commit}:${inTree(file)}`) : undefined,
    configsFrom: async (folder) => {
      const wanted: string[] = [];
      for (let at = folder; isInside(at, top); at = dirname(at)) {
        for (const name of [...dataNames, ...codeNames]) wanted.push(join(at, name));
        if (dirname(at) === at) break;
      }
      const listed = await git("ls-tree", "-z", "--name-only", "--full-tree", commit, "--", ...wanted.map(inTree));
      const names = new Set(listed?.toString("utf8").split("\0"));
      return wanted.filter((path) => names.has(inTree(path)));
    },
  };
}

async function findBase(
  git: Git,
  base: string | undefined,
): Promise<{ readonly commit: string; readonly name: string } | undefined> {
  const commitOf = async (name: string): Promise<string | undefined> =>
    (await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`))?.toString().trim();
  if (base !== undefined) {
    const commit = await commitOf(base);
    return commit === undefined ? undefined : { commit, name: base };
  }
  const main = (await git("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"))?.toString().trim();
  const branches = ["refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"];
  for (const branch of main === undefined ? branches : [main, ...branches]) {
    if ((await commitOf(branch)) === undefined) continue;
    const commit = (await git("merge-base", "HEAD", branch))?.toString().trim();
    if (commit !== undefined && commit !== "")
      return { commit, name: branch.replace(/^refs\/(?:remotes|heads)\//, "") };
  }
  const commit = await commitOf("HEAD");
  return commit === undefined ? undefined : { commit, name: "HEAD" };
}

/**
 * Runs git in a folder; returns `undefined` if it fails. The repository may be hostile: the commands used here run no
 * code of it, and settings of its config that could start a program are switched off.
 */
function gitIn(folder: string): Git {
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager", "-C", folder];
  const { PATH, HOME, USERPROFILE, SystemRoot, XDG_CONFIG_HOME } = process.env;
  const env = {
    ...(PATH !== undefined && { PATH }),
    ...(HOME !== undefined && { HOME }),
    ...(USERPROFILE !== undefined && { USERPROFILE }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // A partial clone may fetch objects with a command from its config, so no protocol is allowed.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
  return (...args) =>
    new Promise((resolve) => {
      execFile(
        "git",
        [...safe, ...args],
        // Not in the folder itself: Windows would look for git.exe there first.
        {
          cwd: dirname(process.execPath),
          env,
          encoding: "buffer",
          timeout: 10_000,
          maxBuffer: 4_000_000,
          windowsHide: true,
        },
        (error, stdout) => {
          resolve(error === null ? stdout : undefined);
        },
      );
    });
}
