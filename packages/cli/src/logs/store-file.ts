import { basename } from "node:path";

/** True if a file is named like a database of opencode. */
export function isStoreFile(path: string): boolean {
  return /^opencode(?:-[^/]+)?\.db$/.test(basename(path));
}
