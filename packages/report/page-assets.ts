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
export async function buildPageAssets(): Promise<PageAssets> {
  const common = { absWorkingDir: import.meta.dirname, minify: true, target: "es2022" } as const;
  const [script, style] = await Promise.all([
    bundleOnDemand({
      ...common,
      entryPoints: ["src/app/main.tsx"],
      format: "iife",
      jsx: "automatic",
      jsxImportSource: "preact",
    }),
    bundleOnDemand({ ...common, entryPoints: ["src/app/style.css"] }),
  ]);
  const [scriptText, styleText] = [script, style].map((text) => text.trim().replaceAll("</", String.raw`<\/`)) as [
    string,
    string,
  ];
  return { script: scriptText, style: styleText, scriptHash: hash(scriptText), styleHash: hash(styleText) };
}

/** The same as the source of a module. */
export async function pageAssetsModule(): Promise<string> {
  return Object.entries(await buildPageAssets())
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
