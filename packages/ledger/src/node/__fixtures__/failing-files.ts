import type { FileSystem } from "../file-system.ts";

export interface Failure {
  /** The operation that fails, counted from 1. */
  readonly at: number;
  /** An error code, or "short" for a write that takes only half. */
  readonly code: string;
  /** Every operation from then on fails, not only the one. */
  readonly persistent: boolean;
}

const CHANGING: ReadonlySet<string> = new Set([
  "create",
  "write",
  "sync",
  "syncLater",
  "syncFolder",
  "makeFolder",
  "link",
  "rename",
  "remove",
]);

/**
 * A file system that fails at its n-th operation. `count` says how many there were; `heal` ends a persistent failure.
 */
export function failingFiles(
  files: FileSystem,
  failure: Failure,
  { reads = true }: { readonly reads?: boolean } = {},
): { readonly files: FileSystem; readonly count: () => number; readonly heal: () => void } {
  let count = 0;
  let healed = false;
  const wrapped = Object.fromEntries(
    Object.entries(files).map(([name, operation]: [string, (...args: unknown[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        if (name === "close" || name === "size" || name === "stat" || (!reads && !CHANGING.has(name)))
          return operation(...args);
        count += 1;
        const hit = !healed && (failure.persistent ? count >= failure.at && CHANGING.has(name) : count === failure.at);
        if (!hit) return operation(...args);
        if (failure.code === "short" && name === "write") {
          const [file, bytes, position] = args as [number, Uint8Array, number | undefined];
          return files.write(file, bytes.subarray(0, bytes.byteLength >> 1), position);
        }
        const error = Object.assign(new Error(`${failure.code}: injected into ${name}`), {
          code: failure.code === "short" ? "EIO" : failure.code,
        });
        if (name === "syncLater") return Promise.reject(error);
        throw error;
      },
    ]),
  ) as unknown as FileSystem;
  return { files: wrapped, count: () => count, heal: () => void (healed = true) };
}
