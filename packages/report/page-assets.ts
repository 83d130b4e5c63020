import { createHash } from "node:crypto";
import { bundleOnDemand } from "@phasekit/tooling/bundle-on-demand";

/** The name under which sources import the page's own script and style. */
export const ASSETS = "#page-assets";

/** The page's own script and style as texts, with the hashes its content security policy names. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  /** SHA-256 in base64. */
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** Bundles the page's script and style. */
export function buildPageAssets(): PageAssets {
  const common = { absWorkingDir: import.meta.dirname, minify: true, target: "es2022" } as const;
  const script = embeddable(
    bundleOnDemand({
      ...common,
      entryPoints: ["src/app/main.tsx"],
      format: "iife",
      jsx: "automatic",
      jsxImportSource: "preact",
    }),
  );
  const style = embeddable(bundleOnDemand({ ...common, entryPoints: ["src/app/style.css"] }));
  return { script, style, scriptHash: hash(script), styleHash: hash(style) };
}

/** The same as the source of a module. */
export function pageAssetsModule(): string {
  return Object.entries(buildPageAssets())
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}

function embeddable(text: string): string {
  return text.trim().replaceAll("</", String.raw`<\/`);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
