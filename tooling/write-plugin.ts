import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import {
  geminiExtension,
  jsonText,
  pluginMetadata,
  writePlugin,
} from "../packages/cli/src/hooks/install/write-plugin.ts";
import { root } from "./workspace.ts";

/*
 * Writes what agents install from the repository: the plugin of Claude Code and Codex with its marketplaces, the
 * extension of Gemini CLI, which is the repository itself, and the entry of the MCP registry. With --check, it writes
 * nothing and fails if a file is not as it would be written.
 */
const PLUGIN = "plugins/phasekit";
const SKILLS = "skills";
const version = versionOf("packages/cli");

const folder = mkdtempSync(join(tmpdir(), "phasekit-plugin-"));
try {
  writeInto(folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  if (process.argv.includes("--check")) check(files);
  else {
    rmSync(join(root, PLUGIN), { recursive: true, force: true });
    cpSync(folder, root, { recursive: true });
    console.log(`Wrote ${String(files.length)} files of version ${version}.`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function writeInto(target: string): void {
  writePlugin(join(target, PLUGIN), { version });
  cpSync(join(root, SKILLS), join(target, PLUGIN, SKILLS), { recursive: true });
  cpSync(join(root, "docs/images/icon.png"), join(target, PLUGIN, ".claude-plugin/icon.png"));
  const { name, description, author, keywords, license } = pluginMetadata;
  const place = `./${PLUGIN}`;
  const manifests: Readonly<Record<string, object>> = {
    ...geminiExtension(version, `${PLUGIN}/bin`),
    ".claude-plugin/marketplace.json": {
      name,
      owner: author,
      metadata: { description: "Phase-aware agent runs: nudges, evidence gates, and why a run stopped." },
      plugins: [{ name, source: place, description, category: "productivity", keywords, license }],
    },
    ".agents/plugins/marketplace.json": {
      name,
      interface: { displayName: "Phasekit" },
      plugins: [
        {
          name,
          source: { source: "local", path: place },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category: "Productivity",
        },
      ],
    },
    "server.json": registryEntry(),
  };
  for (const [path, value] of Object.entries(manifests)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), jsonText(value));
  }
}

/** The entry of the MCP registry, for the package that says the same name in its `mcpName`. */
function registryEntry(): object {
  const manifest = manifestOf("packages/mcp");
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: manifest.mcpName,
    title: "Phasekit",
    description: "Phase status, claims and why a run stopped, for any MCP host.",
    version: manifest.version,
    repository: { url: pluginMetadata.repository, source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: manifest.name,
        version: manifest.version,
        transport: { type: "stdio" },
      },
    ],
  };
}

function check(files: readonly string[]): void {
  const isAsWritten = (file: string): boolean =>
    existsSync(join(root, file)) && readFileSync(join(root, file)).equals(readFileSync(join(folder, file)));
  const different = files.filter((file) => !isAsWritten(file));
  if (different.length === 0) return;
  for (const file of different) console.error(`${file} is not as it is built from the sources.`);
  console.error("Run `npx --yes pnpm@12 plugin` and commit the files.");
  process.exitCode = 1;
}

function versionOf(path: string): string {
  return manifestOf(path).version;
}

function manifestOf(path: string): { readonly name: string; readonly version: string; readonly mcpName?: string } {
  return JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly mcpName?: string;
  };
}
