import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { publishedPackages } from "@phasekit/tooling/workspace";

/** The source behind every import of a published package, such as `@phasekit/core/testing`. */
export function packageEntries(): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const { name, directory } of publishedPackages()) {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      readonly exports: Readonly<
        Record<string, string | Readonly<Record<string, string | Readonly<Record<string, string>>>>>
      >;
    };
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === "string") continue;
      const source = target[SOURCE_CONDITION];
      const file = typeof source === "object" ? source["node"] : source;
      if (file !== undefined) entries.set(name + entry.slice(1), join(directory, file));
    }
  }
  return entries;
}
