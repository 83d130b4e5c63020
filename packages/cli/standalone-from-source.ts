// In the clone, `#standalone-file` is this file.
import { writeCachedFile } from "@phasekit/tooling/bundle-on-demand";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { bundleStandalone } from "./standalone-programs.ts";

/** Returns the path of a single-file program, made of the sources as they are now. */
export function standaloneFile(name: string): string {
  return writeCachedFile(`standalone/${name}`, bundleStandalone(name));
}

/** Returns a module that loads configs with our sources, in a server that was started without their condition. */
export function configLoaderFile(): string {
  return writeCachedFile(
    "live.mjs",
    `import { registerHooks } from "node:module";
const condition = ${JSON.stringify(SOURCE_CONDITION)};
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, condition] }),
});
export const { loadLiveConfig } = await import(${JSON.stringify(import.meta.resolve("./src/live.ts"))});
`,
  );
}
