import type { ValueCheck } from "@phasekit/core/adapter";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderProblem, readPrivateFile, writePrivateFile } from "../config/private-folder.ts";

/** Files in a cache folder. Everything in it may be gone or forged: it can cost time, and nothing else. */
export interface PrivateCache {
  /**
   * Returns the content of a file that passes the check. A file that is damaged, not a plain file of this user, too
   * large or nested too deep counts as missing.
   */
  readonly read: <T>(name: string, check: ValueCheck<T>) => T | undefined;
  /** Replaces a file. Never throws: without the file, the next command works it out again. */
  readonly write: (name: string, content: unknown) => void;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;
/** Shorter texts cannot be nested deep enough to cost anything. */
const SHORT = 16 * 1024;

/** Opens the cache in a folder. Keeps nothing in a folder that another user owns or can write to. */
export function openPrivateCache(folder: string): PrivateCache {
  const problems = new Map<string, string | undefined>();
  const isSafe = (path: string): boolean => {
    if (!problems.has(path)) problems.set(path, folderProblem(path));
    return problems.get(path) === undefined;
  };
  const isUsable = (path: string): boolean => isSafe(folder) && isSafe(dirname(path));
  return {
    read: (name, check) => {
      const path = join(folder, name);
      const text = isUsable(path) ? readPrivateFile(path, { maxBytes: MAX_BYTES }) : undefined;
      const content = text === undefined ? undefined : parse(text);
      return check(content) ? content : undefined;
    },
    write: (name, content) => {
      const path = join(folder, name);
      const text = JSON.stringify(content);
      if (!isUsable(path) || text.length > MAX_BYTES) return;
      try {
        writePrivateFile(path, text);
      } catch {
        // It is not kept.
      }
    },
  };
}

/** Removes a cache folder. Returns false if something in it stays. */
export function removeCache(folder: string): boolean {
  try {
    rmSync(folder, { force: true, recursive: true });
    return true;
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  if (text.length > SHORT && isDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** True if lists and objects are nested beyond the limit: such a text takes a hundred times its size to parse. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1)
        if (text.charCodeAt(at) === BACKSLASH) at += 1;
      // `[` and `{`, then `]` and `}`: they differ in one bit.
    } else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}
