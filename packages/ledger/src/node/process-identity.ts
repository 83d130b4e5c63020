import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The writer of a run. Enough to prove later that this very process is gone. */
export interface Owner {
  readonly pid: number;
  /** When the process began, in the kernel's own count; empty where the system does not tell. */
  readonly start: string;
  readonly boot: string;
  readonly host: string;
  /** Process numbers mean something only inside one namespace. */
  readonly space: string;
  readonly nonce: string;
}

/** The questions a store has about processes. */
export interface Processes {
  /** A new owner record of this process. */
  readonly self: () => Owner;
  /** True if an owner is provably gone; `undefined` if this machine cannot tell. */
  readonly isGone: (owner: Owner) => boolean | undefined;
}

/** The processes of this machine. */
export function nodeProcesses(): Processes {
  const boot = quietly(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const space = quietly(() => readlinkSync("/proc/self/ns/pid"));
  const host = hostname();
  return {
    self: () => ({ pid: process.pid, start: startOf(process.pid), boot, host, space, nonce: randomUUID() }),
    isGone: (owner) => {
      if (owner.host !== host) return undefined;
      if (owner.boot !== boot) return owner.boot !== "" && boot !== "" ? true : undefined;
      if (owner.space !== space) return undefined;
      if (!isRunning(owner.pid)) return true;
      const start = startOf(owner.pid);
      // The number is in use, but by a process that began at another time.
      if (start !== "" && owner.start !== "") return start !== owner.start;
      return owner.pid === process.pid ? false : undefined;
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A process that was killed and not yet waited for keeps its number but will never write again. */
function isZombie(pid: number): boolean {
  return statusFields(pid)[0] === "Z";
}

function startOf(pid: number): string {
  return statusFields(pid)[19] ?? "";
}

/** The fields of /proc/<pid>/stat behind the command's name, which may itself hold spaces and brackets. */
function statusFields(pid: number): readonly string[] {
  const text = quietly(() => readFileSync(`/proc/${String(pid)}/stat`, "utf8"));
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
