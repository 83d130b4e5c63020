import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { AgentName } from "@phasekit/hooks";
import { makePrivateFolder } from "../../config/private-folder.ts";
import { settingsChanged, unsafeFolder } from "../../errors.ts";
import { askControl } from "../client/ask-control.ts";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { rootProblem } from "../client/root-problem.ts";
import { readHookConfig } from "../server/hook-config.ts";
import { lockHolder } from "../server/server-lock.ts";
import type { ByteText } from "./byte-text.ts";
import { editFiles, type FileEdit, missingFolders, modeOf, readForEdit, removeFolders } from "./edit-files.ts";
import { withInstallLock } from "./install-lock.ts";
import { type InstallOptions, type InstallPlan, planInstall as planPure } from "./install-plan.ts";
import { backupPath, printRecord, recordPath } from "./install-record.ts";
import { installTarget } from "./install-target.ts";
import { planUninstall as planRemoval } from "./uninstall-plan.ts";
import { standaloneFile } from "#standalone-file";

/** Options of an installation on this machine; folders default to those of the user and the process. */
export type LocalInstallOptions = Partial<InstallOptions>;

/** A plan with the folders it is for. */
export interface LocalInstallPlan extends InstallPlan {
  readonly paths: HookPaths;
  readonly folders: InstallFolders;
  /** Makes the plan again, from the files as they are then. */
  readonly again: () => LocalInstallPlan;
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
  const root = resolve(options.root ?? process.env["PHASEKIT_HOME"] ?? join(home, ".phasekit"));
  return { home, root, cwd: options.cwd ?? process.cwd(), node: options.node ?? earlierNode(root) ?? process.execPath };
}

/** The Node.js of an earlier installation, if it is still there: another path would cost Codex's trust. */
function earlierNode(root: string): string | undefined {
  const node = readHookConfig(hookPaths(root).config).node;
  return node !== undefined && existsSync(node) ? node : undefined;
}

const moduleText = (name: "opencode" | "pi"): ByteText => readFileSync(standaloneFile(`${name}.mjs`), "latin1");

/**
 * Plans an installation on this machine. Nothing is written.
 * @throws UNREADABLE_SETTINGS, UNEXPECTED_SETTINGS, FOREIGN_FILE, UNKNOWN_SCOPE, UNKNOWN_TRANSPORT, UNSAFE_FOLDER
 */
export function planInstall(agent: AgentName, options: LocalInstallOptions = {}): LocalInstallPlan {
  const folders = foldersOf(options);
  const paths = hookPaths(folders.root);
  const problem = rootProblem(paths);
  if (problem !== undefined) throw unsafeFolder(problem);
  const chosen = { moduleText, token: randomBytes(24).toString("base64url"), ...options, ...folders };
  const plan = planPure(agent, chosen, readForEdit);
  return { ...plan, paths, folders, again: () => planInstall(agent, chosen) };
}

/**
 * Carries out a plan: copies the hook command and the server, keeps a backup of each file with content of others, and
 * remembers what was added. A server that runs is replaced by one with the new files and settings.
 * @throws SETTINGS_CHANGED if the files are not as they were planned from, UNWRITABLE_SETTINGS, INSTALL_BUSY
 */
export async function applyInstall(shown: LocalInstallPlan): Promise<void> {
  const { paths } = shown;
  const work = withInstallLock(paths, async () => {
    for (const folder of [paths.bin, paths.installs]) makePrivateFolder(folder);
    const plan = currentPlan(shown);
    const { files, record, backups, scope } = plan;
    const outside = files.filter(({ path }) => path !== paths.config).map(({ path }) => path);
    const folders = [...new Set([...(record?.folders ?? []), ...outside.flatMap(missingFolders)])];
    editFiles([
      ...["hook.cjs", "server.mjs"].map((name) =>
        own(join(paths.bin, name), readFileSync(standaloneFile(name), "latin1")),
      ),
      ...[...backups].map(([path, bytes]) => ({
        ...own(backupPath(paths.installs, path), bytes),
        mode: modeOf(path) ?? 0o600,
      })),
      ...(record === undefined
        ? []
        : [own(recordPath(paths.installs, plan.target), printRecord({ ...record, folders }))]),
      // The agent's settings come last: what they name is there then.
      ...files.toReversed().map(({ path, before, after }) => ({
        path,
        before,
        after,
        // Others of the project read what it shares.
        mode: scope === "project" && path !== paths.config ? 0o644 : 0o600,
      })),
    ]);
    if (await shutDown(paths)) await startServer(paths);
  });
  await work.catch((error: unknown) => {
    // A refusal leaves nothing behind.
    removeFolders([paths.bin, paths.installs, paths.root]);
    throw error;
  });
}

function own(path: string, after: ByteText): FileEdit {
  return { path, before: undefined, after, isOwn: true };
}

/**
 * The plan for the files as they are now. It may differ from what the user saw in Phasekit's own configuration, which
 * another installation may have changed, and in nothing else.
 */
function currentPlan(shown: LocalInstallPlan): LocalInstallPlan {
  const plan = shown.again();
  const others = ({ files, paths }: LocalInstallPlan) => files.filter(({ path }) => path !== paths.config);
  const [before, now] = [others(shown), others(plan)];
  for (const path of new Set([...before, ...now].map((file) => file.path))) {
    const [old, current] = [before, now].map((files) => files.find((file) => file.path === path));
    if (old?.before !== current?.before || old?.after !== current?.after) throw settingsChanged(path);
  }
  return plan;
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
 * @throws UNREADABLE_SETTINGS, FOREIGN_FILE, UNKNOWN_SCOPE
 */
export function planUninstall(agent: AgentName, options: LocalInstallOptions = {}): LocalInstallPlan {
  const folders = foldersOf(options);
  const paths = hookPaths(folders.root);
  const chosen = { moduleText, ...options, ...folders };
  const isLast = !hasOthers(paths, installTarget(agent, chosen));
  const plan = planRemoval(agent, { ...chosen, isLast }, readForEdit);
  return { ...plan, paths, folders, again: () => planUninstall(agent, chosen) };
}

/** True if there are records of other installations. */
function hasOthers({ installs }: HookPaths, target: string): boolean {
  const own = basename(recordPath(installs, target));
  return existsSync(installs) && readdirSync(installs).some((name) => name.endsWith(".json") && name !== own);
}

/**
 * Carries out a removal. Removing the last installation also removes the server; recorded runs are kept.
 * @throws SETTINGS_CHANGED if the files are not as they were planned from, UNWRITABLE_SETTINGS, INSTALL_BUSY
 */
export async function applyUninstall(shown: LocalInstallPlan): Promise<void> {
  const { paths, target } = shown;
  await withInstallLock(paths, async () => {
    const { files, record } = currentPlan(shown);
    const isLast = !hasOthers(paths, target);
    editFiles(files);
    for (const { path } of record?.files ?? []) rmSync(backupPath(paths.installs, path), { force: true });
    rmSync(recordPath(paths.installs, target), { force: true });
    removeFolders(record?.folders ?? []);
    if (!isLast) return;
    await shutDown(paths);
    for (const name of ["bin", "installs", "taken", "log", "problem", "config", "key", "lock"] as const)
      rmSync(paths[name], { recursive: true, force: true });
    removeSpools(paths);
    if (process.platform !== "win32") for (const path of [paths.socket, paths.control]) rmSync(path, { force: true });
  });
  removeFolders([paths.root]);
}

/** Events that no server has read yet; they hold what the agent sent. */
function removeSpools({ root, spool }: HookPaths): void {
  for (const name of readdirSync(root))
    if (name.startsWith(basename(spool))) rmSync(join(root, name), { recursive: true, force: true });
}

/** Plans a removal and carries it out; returns what changed. */
export async function uninstall(agent: AgentName, options: LocalInstallOptions = {}): Promise<LocalInstallPlan> {
  const plan = planUninstall(agent, options);
  await applyUninstall(plan);
  return plan;
}
