import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { library } from "@phasekit/tooling/tsup";
import type { Options } from "tsup";
import { bundleStandalone, standaloneNames } from "./standalone-programs.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

const entries = ["index", "live", "bin", "read-worker"];
/** Packages that a config or policy file gets from this program: entries of their own, which share its code. */
const own = ["coding", "contracts", "ledger"];

/** The files that become part of the program. */
const inputs = new Set<string>();
const bundling: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "one-program",
  setup: (build) => {
    // For Node, yaml is CommonJS; its modules are the same code, named for browsers.
    const modules = join(dirname(createRequire(import.meta.url).resolve("yaml/package.json")), "browser/index.js");
    build.onResolve({ filter: /^yaml$/ }, () => ({ path: modules }));
    build.onEnd(({ metafile }) => {
      for (const path of Object.keys(metafile?.inputs ?? {})) inputs.add(path);
    });
  },
};

/** Only a config with `worker` needs these types, and whoever writes one has the package. */
function forgiveMissingTypes(path: string): void {
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(/^import .* from '@phasekit\/contracts';$/m, "// @ts-ignore -- an optional package\n$&"),
  );
}

export default {
  ...(library({ entries, plugins: [bundling] }) as Options),
  entry: {
    ...Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    ...Object.fromEntries(own.map((name) => [`own/${name}`, `../${name}/dist/index.js`])),
  },
  // All but `dependencies` and what they may load is part of the program (docs/decisions/0043-one-program.md).
  noExternal: [/^(?!(?:node:|@phasekit\/core|jiti|pg$|@opentelemetry\/))/],
  dts: { entry: { index: "src/index.ts", live: "src/live.ts" } },
  onSuccess: () => {
    mkdirSync("dist/standalone", { recursive: true });
    for (const name of standaloneNames) writeFileSync(`dist/standalone/${name}`, bundleStandalone(name));
    writeFileSync("dist/licenses.txt", thirdPartyLicenses(inputs));
    forgiveMissingTypes("dist/index.d.ts");
    return Promise.resolve();
  },
} satisfies Options;
