import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentName } from "@phasekit/hooks";
import {
  type InstallOptions,
  type InstallPlan,
  type InstallRecord,
  installTarget,
  planInstall as planPure,
  planUninstall as planRemoval,
} from "./install-plan.ts";
import { makePrivateFolder } from "../../config/private-folder.ts";
import { unsafeFolder } from "../../errors.ts";
import { askControl } from "../client/ask-control.ts";
import { readHookConfig } from "../server/hook-config.ts";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { rootProblem } from "../client/root-problem.ts";
import { lockHolder } from "../server/server-lock.ts";
import { standaloneFile } from "#standalone-file";

/** Options of an installation on this machine; folders default to those of the user and the process. */
export type LocalInstallOptions = Partial<InstallOptions>;

/** A plan with the folders it is for. */
export interface LocalInstallPlan extends InstallPlan {
  readonly paths: HookPaths;
  readonly folders: InstallFolders;
}

/** The folders of an installation, and the Node.js that runs the hook command. */
interface InstallFolders {
  readonly home: string;
  readonly cwd: string;
  readonly root: string;
  readonly node: string;
}

function foldersOf(options: LocalInstallOptions): InstallFolders {
  const home = options.home ?? homedir();
  const root = options.root ?? process.env["PHASEKIT_HOME"] ?? join(home, ".phasekit");
  return { home, root, cwd: options.cwd ?? process.cwd(), node: options.node ?? earlierNode(root) ?? process.execPath };
}

/** The Node.js of an earlier installation, if it is still there: another path would cost Codex's trust. */
function earlierNode(root: string): string | undefined {
  const node = readHookConfig(hookPaths(root).config).node;
  return node !== undefined && existsSync(node) ? node : undefined;
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/**
 * Plans an installation on this machine. Nothing is written.
 * @throws UNREADABLE_SETTINGS, UNKNOWN_SCOPE, UNKNOWN_TRANSPORT, UNSAFE_FOLDER
 */
export function planInstall(agent: AgentName, options: LocalInstallOptions = {}): LocalInstallPlan {
  const folders = foldersOf(options);
  const paths = hookPaths(folders.root);
  const problem = rootProblem(paths);
  if (problem !== undefined) throw unsafeFolder(problem);
  const token = options.token ?? randomBytes(24).toString("base64url");
  const moduleText = (name: "opencode" | "pi"): string => readFileSync(standaloneFile(`${name}.mjs`), "utf8");
  const plan = planPure(agent, { moduleText, ...options, ...folders, token }, read);
  return { ...plan, paths, folders };
}

/**
 * Carries out a plan: copies the hook command and the server, keeps a backup of each file it changes, and remembers
 * what was there before. A server that runs is replaced by one with the new files and settings.
 */
export async function applyInstall({ agent, scope, target, files, paths }: LocalInstallPlan): Promise<void> {
  for (const folder of [paths.bin, paths.installs]) makePrivateFolder(folder);
  for (const file of ["hook.cjs", "server.mjs"]) {
    const path = join(paths.bin, file);
    copyFileSync(standaloneFile(file), `${path}.new`);
    renameSync(`${path}.new`, path);
  }
  for (const { path, before, after } of files) {
    if (after === undefined) continue;
    const isTarget = path === target;
    if (isTarget) remember({ agent, scope, target, before: before ?? null, after }, paths);
    if (isTarget && before !== undefined) writeFileSync(join(paths.installs, backupName(path)), before);
    mkdirSync(dirname(path), { recursive: true });
    writeAtOnce(path, after);
    if (path === paths.config) chmodSync(path, 0o600);
  }
  if (await shutDown(paths)) await startServer(paths);
}

const POLL_MS = 50;
const MAX_POLLS = 60;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/** Asks a running server to leave, also one that is just starting, and waits until it did. True if there was one. */
async function shutDown(paths: HookPaths): Promise<boolean> {
  const wasThere = existsSync(paths.lock);
  // A lock without a server is left over from a crash.
  for (let polls = 0; polls < MAX_POLLS && lockHolder(paths) !== undefined; polls += 1) {
    await askControl(paths, { op: "shutdown" }, { limitMs: 500 });
    await pause();
  }
  return wasThere;
}

/** Starts the server and waits until it answers: an uninstall right after it has to find it. */
async function startServer(paths: HookPaths): Promise<void> {
  const { bin, root } = paths;
  const child = spawn(process.execPath, [join(bin, "server.mjs")], { detached: true, stdio: "ignore", cwd: root });
  child.on("error", () => undefined);
  child.unref();
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    await pause();
    if ((await askControl(paths, { op: "ping" }, { limitMs: 500 })) !== undefined) return;
  }
}

/**
 * Plans the removal of an installation. Nothing is written; without an installation the plan has no files.
 * @throws UNREADABLE_SETTINGS, UNKNOWN_SCOPE
 */
export function planUninstall(agent: AgentName, options: LocalInstallOptions = {}): LocalInstallPlan {
  const folders = foldersOf(options);
  const paths = hookPaths(folders.root);
  const scope = options.scope ?? "user";
  const record = recall({ agent, scope, ...folders }, paths);
  return { ...planRemoval(agent, { ...folders, scope }, { read, record }), paths, folders };
}

/** Carries out a removal. Removing the last installation also removes the server; recorded runs are kept. */
export async function applyUninstall({ files, target, paths, folders }: LocalInstallPlan): Promise<void> {
  for (const { path, after } of files) {
    if (after === undefined) {
      rmSync(path, { force: true });
      removeEmptyFolders(dirname(path), [folders.home, folders.cwd]);
    } else writeAtOnce(path, after);
  }
  rmSync(recordPath(target, paths), { force: true });
  rmSync(join(paths.installs, backupName(target)), { force: true });
  if (recordsIn(paths).length > 0) return;
  await shutDown(paths);
  for (const name of ["bin", "installs", "taken", "log", "problem", "config", "key", "lock"] as const)
    rmSync(paths[name], { recursive: true, force: true });
  removeSpools(paths);
  if (process.platform !== "win32") for (const path of [paths.socket, paths.control]) rmSync(path, { force: true });
  removeEmptyFolders(paths.root, [folders.home]);
}

/** Events that no server has read yet; they hold what the agent sent. */
function removeSpools({ root, spool }: HookPaths): void {
  if (!existsSync(root)) return;
  for (const name of readdirSync(root))
    if (name.startsWith(basename(spool))) rmSync(join(root, name), { recursive: true, force: true });
}

/** Plans a removal and carries it out; returns what changed. */
export async function uninstall(agent: AgentName, options: LocalInstallOptions = {}): Promise<LocalInstallPlan> {
  const plan = planUninstall(agent, options);
  await applyUninstall(plan);
  return plan;
}

function recordPath(target: string, { installs }: HookPaths): string {
  return join(installs, `${createHash("sha256").update(target).digest("hex").slice(0, 16)}.json`);
}

function backupName(path: string): string {
  return `${createHash("sha256").update(path).digest("hex").slice(0, 16)}.${basename(path)}.backup`;
}

function remember(record: InstallRecord, paths: HookPaths): void {
  const path = recordPath(record.target, paths);
  const earlier = parseRecord(read(path));
  // A second installation over the first: what was there before is still what was there before the first.
  const before = earlier !== undefined && earlier.after === record.before ? earlier.before : record.before;
  writeAtOnce(path, `${JSON.stringify({ ...record, before }, null, 2)}\n`);
}

function recall(
  where: Parameters<typeof installTarget>[1] & { readonly agent: AgentName },
  paths: HookPaths,
): InstallRecord | undefined {
  const target = installTarget(where.agent, where);
  return recordsIn(paths).find((record) => record.target === target);
}

/** Records of the current installations. */
function recordsIn({ installs }: HookPaths): readonly InstallRecord[] {
  if (!existsSync(installs)) return [];
  return readdirSync(installs)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => parseRecord(read(join(installs, name))) ?? []);
}

function parseRecord(text: string | undefined): InstallRecord | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as InstallRecord);
  } catch {
    return undefined;
  }
}

/** Writes beside the file and renames, so that an agent never reads half of it. */
function writeAtOnce(path: string, text: string): void {
  const draft = `${path}.phasekit-${String(process.pid)}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** Removes folders that the installation made and that are empty now. */
function removeEmptyFolders(folder: string, keep: readonly string[]): void {
  if (keep.includes(folder) || dirname(folder) === folder) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeEmptyFolders(dirname(folder), keep);
}
