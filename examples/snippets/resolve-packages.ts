// Loaded before a block: it can import every published package and the hosts of the adapters, whatever its folder.
import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageEntries } from "./package-entries.ts";

const entries = packageEntries();
const root = join(import.meta.dirname, "../..");
const adapters = globSync("packages/adapters/*/package.json", { cwd: root }).map(
  (path) => pathToFileURL(join(root, path)).href,
);

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = entries.get(specifier);
    if (entry !== undefined) return next(pathToFileURL(entry).href, context);
    try {
      return next(specifier, context);
    } catch (error) {
      for (const parentURL of adapters) {
        try {
          return next(specifier, { ...context, parentURL });
        } catch {
          // Not a host of this adapter.
        }
      }
      throw error;
    }
  },
});
