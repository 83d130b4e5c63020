import { library } from "@phasekit/tooling/tsup";
import { build } from "esbuild";
import type { Options } from "tsup";

/** Single files that the installer copies to where agents find them; they need no package beside them. */
const standalone: Readonly<Record<string, string>> = {
  hook: "src/node/standalone-hook.ts",
  server: "src/node/standalone-server.ts",
  opencode: "src/node/standalone-opencode.ts",
  pi: "src/node/standalone-pi.ts",
};

export default {
  ...(library({ entries: ["index", "node", "hook", "bin"] }) as Options),
  onSuccess: async () => {
    await build({
      entryPoints: standalone,
      outdir: "dist/standalone",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      minifySyntax: true,
      minifyWhitespace: true,
      platform: "node",
      format: "esm",
      target: "node20",
      legalComments: "none",
      logLevel: "warning",
    });
  },
} satisfies Options;
