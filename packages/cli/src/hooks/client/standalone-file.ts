import { fileURLToPath } from "node:url";

/**
 * Returns the path of a single-file program that needs no package beside it, such as `hook.cjs`: built next to this
 * module. In the clone, `#standalone-file` is a function that builds it on demand.
 */
export function standaloneFile(name: string): string {
  return fileURLToPath(new URL(`./standalone/${name}`, import.meta.url));
}

/** Returns the module with which the hook server loads a config that the user approved. */
export function configLoaderFile(): string {
  return fileURLToPath(new URL("./live.js", import.meta.url));
}
