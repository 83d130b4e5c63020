// In the clone, `#standalone-file` is this file.
import { writeCachedFile } from "@phasekit/tooling/bundle-on-demand";
import { bundleStandalone } from "./standalone-programs.ts";

/** Returns the path of a single-file program, made of the sources as they are now. */
export function standaloneFile(name: string): string {
  return writeCachedFile(`standalone/${name}`, bundleStandalone(name));
}
