import { createHash } from "node:crypto";
import { build } from "esbuild";

/** The name under which sources import the page's own script and style. */
export const ASSETS = "phasekit:page-assets";

/** Bundles the page's script and style into a module of texts, with the hashes its content security policy names. */
export async function buildPageAssets(): Promise<string> {
  const common = {
    absWorkingDir: import.meta.dirname,
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    legalComments: "none",
  } as const;
  const [script, style] = await Promise.all([
    build({
      ...common,
      entryPoints: ["src/app/main.tsx"],
      format: "iife",
      jsx: "automatic",
      jsxImportSource: "preact",
    }),
    build({ ...common, entryPoints: ["src/app/style.css"] }),
  ]);
  const texts = [script, style].map(({ outputFiles: [file] }) =>
    (file?.text ?? "").trim().replaceAll("</", String.raw`<\/`),
  );
  const hashes = texts.map((text) => createHash("sha256").update(text).digest("base64"));
  const values = { script: texts[0], style: texts[1], scriptHash: hashes[0], styleHash: hashes[1] };
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}
