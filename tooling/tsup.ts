import { defineConfig, type Options } from "tsup";

/** The build of a published library: ES modules and their types, one file per entry of its `exports`. */
export function library({
  entries,
  plugins = [],
}: {
  readonly entries: readonly string[];
  /** Plugins for esbuild. */
  readonly plugins?: NonNullable<Options["esbuildPlugins"]>;
}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: entries.map((entry) => `src/${entry}.ts`),
    format: "esm",
    target: ["es2022", "node20"],
    dts: true,
    // The output is readable, and a map with the sources in it would be most of every tarball (decision 0036).
    sourcemap: false,
    clean: true,
    silent: true,
    // Entries share chunks, so a class exists once whichever entry it is imported from.
    splitting: true,
    // By way of Rollup, which makes one import of a dependency where esbuild leaves one for every source file.
    treeshake: true,
    // tsup would turn "node:sqlite" into "sqlite", which does not exist.
    removeNodeProtocol: false,
    esbuildPlugins: plugins,
  });
}
