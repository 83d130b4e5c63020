// Loaded before a block: it can import every published package, whatever its folder.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { packageEntries } from "./package-entries.ts";

const entries = packageEntries();

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = entries.get(specifier);
    return entry === undefined ? next(specifier, context) : next(pathToFileURL(entry.code).href, context);
  },
});
