import { library } from "@phasekit/tooling/tsup";
import { build, type BuildOptions } from "esbuild";
import type { Options } from "tsup";

/** Single files that `phasekit init` copies to where agents find them; they need no package beside them. */
const standalone: Readonly<Record<string, string>> = {
  server: "src/hooks/standalone/server.ts",
  opencode: "src/hooks/standalone/opencode.ts",
  pi: "src/hooks/standalone/pi.ts",
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
  ...(library({ entries: ["index", "live", "bin", "read-worker"] }) as Options),
  onSuccess: async () => {
    await build({ ...single, entryPoints: standalone, format: "esm", outExtension: { ".js": ".mjs" } });
    await build({
      ...single,
      entryPoints: { hook: "src/hooks/standalone/hook.ts" },
      format: "cjs",
      outExtension: { ".js": ".cjs" },
      define: { "import.meta.dirname": "__dirname" },
    });
  },
} satisfies Options;
