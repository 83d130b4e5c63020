import { library } from "@phasekit/tooling/tsup";
import { build, type BuildOptions } from "esbuild";
import type { Options } from "tsup";

/** Single files that the installer copies to where agents find them; they need no package beside them. */
const standalone: Readonly<Record<string, string>> = {
  server: "src/node/standalone-server.ts",
  opencode: "src/node/standalone-opencode.ts",
  pi: "src/node/standalone-pi.ts",
};

const single = {
  outdir: "dist/standalone",
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;

export default {
  ...(library({ entries: ["index", "node", "hook", "bin"] }) as Options),
  onSuccess: async () => {
    await build({ ...single, entryPoints: standalone, format: "esm", outExtension: { ".js": ".mjs" } });
    await build({
      ...single,
      entryPoints: { hook: "src/node/standalone-hook.ts" },
      format: "cjs",
      outExtension: { ".js": ".cjs" },
      define: { "import.meta.dirname": "__dirname" },
    });
  },
} satisfies Options;
