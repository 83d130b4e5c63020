import { nodeProcesses } from "@phasekit/ledger/node";
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../../config/private-folder.ts";
import { unwritableSettings, installBusy } from "../../errors.ts";
import type { HookPaths } from "../client/hook-paths.ts";
import { ownerIn, removeLock } from "../server/server-lock.ts";

const POLL_MS = 50;
/** An installation takes a second, or some when a server has to leave. */
const MAX_POLLS = 1200;

/**
 * Does the work while no other installation of this user does: one after the other, none loses what another wrote.
 * @throws INSTALL_BUSY, UNWRITABLE_SETTINGS
 */
export async function withInstallLock<T>({ root }: Pick<HookPaths, "root">, work: () => Promise<T>): Promise<T> {
  const lock = join(root, "install.lock");
  const processes = nodeProcesses();
  const own = JSON.stringify(processes.self());
  for (let polls = 0; !isTaken(root, lock, own); polls += 1) {
    const held = textOf(lock);
    const owner = ownerIn(held);
    // A lock is complete from the start, so one without an owner is damaged.
    if (owner === undefined || processes.isGone(owner) === true) removeLock(lock, held);
    else if (polls >= MAX_POLLS) throw installBusy(lock);
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    removeLock(lock, own);
  }
}

/** True if the lock is ours now, false if it exists. */
function isTaken(root: string, lock: string, own: string): boolean {
  const part = `${lock}.${randomUUID()}.part`;
  try {
    // The removal of the last installation removes the folder, too.
    makePrivateFolder(root);
    try {
      writeFileSync(part, own, { flag: "wx", mode: 0o600 });
      linkSync(part, lock);
      return true;
    } finally {
      rmSync(part, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw unwritableSettings(lock, error instanceof Error ? error.message : String(error));
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
