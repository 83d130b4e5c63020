import { bundleOnDemand } from "@phasekit/tooling/bundle-on-demand";

const sources: Readonly<Record<string, string>> = {
  "hook.cjs": "src/hooks/standalone/hook.ts",
  "server.mjs": "src/hooks/standalone/server.ts",
  "opencode.mjs": "src/hooks/standalone/opencode.ts",
  "pi.mjs": "src/hooks/standalone/pi.ts",
};

/** The names of the single files that `phasekit init` copies to where agents find them. */
export const standaloneNames: readonly string[] = Object.keys(sources);

/** Bundles one of them; it needs no package beside it. */
export function bundleStandalone(name: string): string {
  const source = sources[name];
  if (source === undefined) throw new Error(`There is no standalone program ${name}.`);
  return bundleOnDemand({
    absWorkingDir: import.meta.dirname,
    entryPoints: [source],
    minifySyntax: true,
    minifyWhitespace: true,
    platform: "node",
    target: "node20",
    // As published: a program in the folder of an agent builds nothing.
    alias: { "#standalone-file": "./src/hooks/client/standalone-file.ts" },
    ...(name.endsWith(".cjs") ? { format: "cjs", define: { "import.meta.dirname": "__dirname" } } : { format: "esm" }),
  });
}
