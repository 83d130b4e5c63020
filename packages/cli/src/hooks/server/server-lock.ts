import { nameIn, numberIn, toObject } from "@phasekit/core/adapter";
import { nodeProcesses, type Owner, type Processes } from "@phasekit/ledger/node";
import { execFileSync } from "node:child_process";
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { HookPaths } from "../client/hook-paths.ts";

/** Options for `takeServerLock()`. */
export interface ServerLockOptions {
  /** True if the server that holds the lock answers. */
  readonly answers: () => Promise<boolean>;
  /** Called with the reason when a server that hangs is ended. */
  readonly onError: (problem: unknown) => void;
  /** @default the processes of this machine */
  readonly processes?: Processes;
  /** @default Date.now */
  readonly clock?: () => number;
}

/** The right to be the server of a folder. */
export interface ServerLock {
  readonly isOurs: () => boolean;
  readonly release: () => void;
}

/** A server listens this soon after it took the lock. */
const STARTING_MS = 10_000;
/** A server that runs and does not answer for so long hangs. One that is stopped is not waited for. */
const PATIENCE_MS = 5000;
const POLL_MS = 50;
const GONE_POLLS = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Takes the lock, also from a server that is gone, and from one that hangs: that process is killed, because it may hold
 * the logs of runs. Resolves with undefined if another server has it, or is about to.
 */
export async function takeServerLock(
  { lock, bin }: Pick<HookPaths, "lock" | "bin">,
  { answers, onError, processes = nodeProcesses(), clock = Date.now }: ServerLockOptions,
): Promise<ServerLock | undefined> {
  const own = JSON.stringify(processes.self());
  const isOurs = (): boolean => read(lock) === own;
  const taken: ServerLock = { isOurs, release: () => void (isOurs() && rmSync(lock, { force: true })) };
  if (createLock(lock, own)) return taken;
  const held = read(lock);
  const owner = ownerIn(held);
  if (owner !== undefined && processes.isGone(owner) !== true) {
    const state = stateOf(owner.pid, bin);
    if (!state.isStopped && (await answers())) return undefined;
    // Else another program may have the number of a server that is gone.
    const isServer = processes.isGone(owner) === false || state.isServer;
    // A stopped server is not waited for, and one of an earlier version has no answer for us.
    const mayAnswer = isServer && !state.isStopped && !isEarlier(owner);
    if (mayAnswer && (isYoung(lock, clock()) || (await answersWithin(answers, PATIENCE_MS)))) return undefined;
    if (isServer && !(await end(owner, { processes, onError }))) return undefined;
  }
  return removeLock(lock, held) && createLock(lock, own) ? taken : undefined;
}

/** A lock from the future is not young: the clock was set back. */
function isYoung(lock: string, now: number): boolean {
  const age = now - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return age >= 0 && age < STARTING_MS;
}

/** A lock of an earlier version is the number of the process alone. */
const isEarlier = ({ nonce }: Owner): boolean => nonce === "";

/** The process that holds the lock; undefined if there is none, if it is gone, or if its version is an earlier one. */
export function lockHolder({ lock }: Pick<HookPaths, "lock">, processes = nodeProcesses()): number | undefined {
  const owner = ownerIn(read(lock));
  return owner === undefined || isEarlier(owner) || processes.isGone(owner) === true ? undefined : owner.pid;
}

async function answersWithin(answers: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  do {
    await pause(POLL_MS);
    if (await answers()) return true;
  } while (performance.now() < until);
  return false;
}

/** Ends a server that hangs. False if it is still there afterwards. */
async function end(
  owner: Owner,
  { processes, onError }: Required<Pick<ServerLockOptions, "processes" | "onError">>,
): Promise<boolean> {
  onError(`The local server (process ${String(owner.pid)}) did not answer; it was ended and replaced.`);
  try {
    process.kill(owner.pid, "SIGKILL");
  } catch {
    // It is gone, or not ours to end.
  }
  for (let polls = 0; polls < GONE_POLLS; polls += 1) {
    if (processes.isGone(owner) === true || !isThere(owner.pid)) return true;
    await pause(POLL_MS);
  }
  return false;
}

/** A process that ended and was not waited for is not there. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !processLine(pid)[0].startsWith("Z");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns if a process is stopped, and if it runs our server; both false where the system does not tell. */
function stateOf(pid: number, bin: string): { readonly isStopped: boolean; readonly isServer: boolean } {
  const [state, command] = processLine(pid);
  return { isStopped: state.startsWith("T"), isServer: command.includes(`${bin}/server.mjs`) };
}

/** The state and the command line of a process. */
function processLine(pid: number): readonly [state: string, command: string] {
  const folder = `/proc/${String(pid)}`;
  const stat = read(`${folder}/stat`);
  // The name of the command may itself hold spaces and brackets.
  if (stat !== undefined) return [stat.slice(stat.lastIndexOf(")") + 2), read(`${folder}/cmdline`) ?? ""];
  if (process.platform === "win32") return ["", ""];
  try {
    const text = execFileSync("ps", ["-o", "stat=,args=", "-p", String(pid)], { encoding: "utf8", timeout: 1000 });
    return [text.trimStart(), text];
  } catch {
    return ["", ""];
  }
}

function createLock(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Removes the lock that was judged, and no other one: another process may have been faster. */
export function removeLock(lock: string, held: string | undefined): boolean {
  const aside = `${lock}.${String(process.pid)}`;
  try {
    renameSync(lock, aside);
    if (held !== undefined && read(aside) !== held) linkSync(aside, lock);
    return held === undefined || read(aside) === held;
  } catch {
    // The holder removed it itself.
    return true;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The owner that a lock names. */
export function ownerIn(text: string | undefined): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
  const { start, boot, host, space, nonce, pid: named } = toObject(value);
  const pid = numberIn(named) ?? numberIn(value);
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return undefined;
  const word = (member: unknown): string => nameIn(member) ?? "";
  return { pid, start: word(start), boot: word(boot), host: word(host), space: word(space), nonce: word(nonce) };
}
