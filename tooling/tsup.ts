import { defineConfig, type Options } from "tsup";

/** The build of a published library: ES modules and their types, one file per entry of its `exports`. */
export function library({ entries, plugins = [], mergeImports = false }: {
  readonly entries: readonly string[];
  /** Plugins for esbuild. */
  readonly plugins?: NonNullable<Options["esbuildPlugins"]>;
  /** One import per dependency, by way of Rollup, where esbuild leaves one for every source file. @default false */
  readonly mergeImports?: boolean;
}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: entries.map((entry) => `src/${entry}.ts`),
    format: "esm",
    target: ["es2022", "node20"],
    dts: true,
    sourcemap: true,
    clean: true,
    silent: true,
    // Entries share chunks, so a class exists once whichever entry it is imported from.
    splitting: true,
    treeshake: mergeImports,
    // tsup would turn "node:sqlite" into "sqlite", which does not exist.
    removeNodeProtocol: false,
    esbuildPlugins: plugins,
  });
}
