import { build } from "esbuild";
import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ReadmeProgram } from "./readme-program.ts";

const run = promisify(execFile);

/** Bundles a worker as Wrangler does without compatibility flags: no module of Node is there. */
async function bundle(
  folder: string,
  { entry, into }: { readonly entry: string; readonly into: string },
): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outfile: into,
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2024",
    logLevel: "silent",
  });
}

/** Runs a program inside the `test()` handler of a worker and returns what it prints. */
export async function runInWorkerd(
  workerd: string,
  {
    folder,
    name,
    program,
  }: {
    readonly folder: string;
    readonly name: string;
    readonly program: ReadmeProgram;
  },
): Promise<string> {
  const source = `${program.imports}
const lines = [];
const console = { log: (...values) => void lines.push(values.map(String).join(" ")) };
export default { async test() {
${program.body}
globalThis.console.log("PRINTED " + JSON.stringify(lines.join("\\n")));
} };
`;
  writeFileSync(join(folder, `${name}.worker.mjs`), source);
  await bundle(folder, {
    entry: `${name}.worker.mjs`,
    into: `${name}.workerd.js`,
  });
  writeFileSync(join(folder, `${name}.capnp`), testConfig(`${name}.workerd.js`));
  const { stdout, stderr } = await run(workerd, ["test", `${name}.capnp`], {
    cwd: folder,
    timeout: 60_000,
  });
  const [, printed = '""'] = /PRINTED (".*")/.exec(stdout + stderr) ?? [];
  return JSON.parse(printed) as string;
}

/** Serves a worker and returns the answers to requests. */
export async function serveInWorkerd(
  workerd: string,
  {
    folder,
    config,
    entry,
  }: {
    readonly folder: string;
    readonly config: string;
    readonly entry: string;
  },
): Promise<{ readonly url: string; readonly close: () => void }> {
  await bundle(folder, { entry, into: join(folder, "worker.js") });
  const child = spawn(workerd, ["serve", config, "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const control = child.stdio[3] as NodeJS.ReadableStream;
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    control.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, port] = /"port":(\d+)/.exec(text) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}/`);
    });
    child.on("exit", (code) => reject(new Error(`workerd ended with exit code ${String(code)}`)));
  });
  return { url, close: () => void child.kill() };
}

function testConfig(module: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "${module}")],
  compatibilityDate = "2026-01-01",
))]);
`;
}
