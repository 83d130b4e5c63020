import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "@phasekit/tooling/workspace";

/** The files of one entry of a published package. */
export interface PackageEntry {
  readonly types: string;
  readonly code: string;
}

/** The built files behind every import of a published package, such as `@phasekit/core/testing`. */
export function packageEntries(): ReadonlyMap<string, PackageEntry> {
  const entries = new Map<string, PackageEntry>();
  for (const { name, directory } of publishedPackages()) {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
    };
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === "string") continue;
      entries.set(name + entry.slice(1), {
        types: join(directory, target.types),
        code: join(directory, target.default),
      });
    }
  }
  return entries;
}
