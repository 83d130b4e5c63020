import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { root } from "@phasekit/tooling/workspace";
import { build } from "vitepress";
import { exampleFolders, sitePages } from "./content.ts";
import { linkPages } from "./links.ts";
import { sidebar } from "./navigation.ts";

/**
 * Builds the site into `site/dist`: writes its pages into `site/.content` and hands them to VitePress, which fails at a
 * link that leads nowhere. With `--outputs` it runs every example first and shows what it prints.
 */
const content = join(import.meta.dirname, ".content");
const pages = sitePages(process.argv.includes("--outputs") ? await runExamples() : new Map());

rmSync(content, { recursive: true, force: true });
for (const [path, text] of linkPages(pages)) {
  mkdirSync(dirname(join(content, path)), { recursive: true });
  writeFileSync(join(content, path), text);
}
cpSync(join(root, "docs/images"), join(content, "images"), { recursive: true });
// The picture of the home page is named in its front matter, which knows addresses only.
cpSync(join(root, "docs/images"), join(content, "public/images"), { recursive: true, filter: isOfHome });
writeFileSync(join(content, "sidebar.json"), JSON.stringify(sidebar(pages)));
writeFileSync(
  join(content, "llms-full.txt"),
  pages
    .filter(isForReaders)
    .map(({ text }) => text.trim())
    .join("\n\n---\n\n"),
);
await build(import.meta.dirname);
cpSync(join(content, "llms-full.txt"), join(import.meta.dirname, "dist/llms-full.txt"));
cpSync(join(root, "llms.txt"), join(import.meta.dirname, "dist/llms.txt"));

function isOfHome(path: string): boolean {
  return /images$|report-run-(?:light|dark)\.webp$/.test(path);
}

/** What an agent that uses Phasekit needs: not how it is made, and not the declarations, which its editor has. */
function isForReaders({ path }: { readonly path: string }): boolean {
  return !/^(?:index\.md|api\/|decisions\/|lab\/|contributing\/)/.test(path);
}

/** What the examples print, by their folder. */
async function runExamples(): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  const waiting = [...exampleFolders()];
  const work = async (): Promise<void> => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
      outputs.set(folder, await outputOf(`examples/${folder}/main.ts`));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return outputs;
}

function outputOf(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["tooling/start.mjs", program], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ended with exit code ${String(code)}.`));
    });
  });
}
