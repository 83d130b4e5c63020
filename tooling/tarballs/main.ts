import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { Progress } from "../progress.ts";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";
import { lockedVersions, publishedPackages, root } from "../workspace.ts";
import { readmeProgram, type ReadmeProgram } from "./readme-program.ts";
import { runInWorkerd, serveInWorkerd } from "./run-in-workerd.ts";
import { installedRuntimes, type Runtime, runtimePackages, workerdBinary } from "./runtimes.ts";

/*
 * Packs every package, installs the tarballs in empty projects with npm, and runs the program of each README there, in
 * Node 20 and 24, Bun, Deno and workerd. Then serves examples/fetch-handler with Bun, Deno and workerd. No install
 * script runs.
 */
const packages = publishedPackages();
const names = packages.map(({ name }) => name);
const USAGE = `Usage: pnpm tarballs [<package> ...] [--keep]

Runs the program of each README from packed packages, with every runtime, and prints a row per package when it ran.
Installs 1 GB from npm into scratch folders.
Packages: ${names.join(", ")}

  --keep  Keep the folder of the projects
  --help  Print this text

PHASEKIT_RUNTIMES names the folder for the runtimes. Ctrl-C removes the projects; the rows so far stay.`;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
});
const runtimesFolder = process.env["PHASEKIT_RUNTIMES"] ?? join(tmpdir(), "phasekit-runtimes");
const scratch = join(tmpdir(), `phasekit-tarballs-${randomUUID()}`);
const run = promisify(execFile);

/** Packages that need modules of Node in their README's program, or whose host does: a worker does not have them. */
const needNode = new Set([
  "phasekit",
  "@phasekit/claude-agent",
  "@phasekit/langchain",
  "@phasekit/mastra",
  "@phasekit/mcp",
  "@phasekit/openai-agents",
  "@phasekit/postgres",
]);

let failed = 0;
const unknown = wanted.filter((name) => !names.includes(name));
if (options.help) console.log(USAGE);
else if (unknown.length > 0) {
  const list = unknown.map((name) => `"${name}"`).join(", ");
  console.error(`Unknown package: ${list}. The packages are: ${names.join(", ")}.`);
  process.exitCode = 2;
} else await runAll(packages.filter(({ name }) => wanted.length === 0 || wanted.includes(name)));

async function runAll(chosen: typeof packages): Promise<void> {
  const isInterrupted = await runWithProgress({ total: chosen.length, unit: "packages" }, async (progress, signal) => {
    mkdirSync(scratch);
    try {
      progress.now("install the runtimes from npm");
      await installRuntimes(signal);
      const tarballs = await packAll({ progress, signal });
      const runtimes = installedRuntimes(runtimesFolder);
      const hosts: Hosts = { workerd: workerdBinary(runtimesFolder), runtimes, progress, signal };
      progress.print(renderRow("", [...runtimes.map(({ name }) => name), "workerd"]));
      for (const { name, directory } of chosen) {
        const found = readmeProgram(join(directory, "README.md"));
        const libraries = found === undefined ? {} : testedHosts(directory);
        const program = found ?? importProgram(name);
        progress.print(renderRow(name, await runProgram({ name, hosts: libraries, program, tarballs }, hosts)));
        progress.count();
      }
    } finally {
      if (options.keep) progress.print(`kept: ${scratch}`);
      else rmSync(scratch, { recursive: true, force: true });
    }
  });
  if (failed > 0) console.log(`\n${String(failed)} programs failed.`);
  else if (!isInterrupted) console.log("\nAll programs ran.");
  if (failed > 0) process.exitCode = 1;
  if (isInterrupted) exitInterrupted();
}

/** The cells of a package: one per runtime. */
async function runProgram(project: Project, hosts: Hosts): Promise<readonly string[]> {
  const { name } = project;
  const { workerd, runtimes, progress } = hosts;
  const folder = folderOf(name);
  progress.now(`${name}: install from npm`);
  if ((await check({ prints: [folder] }, hosts, () => installProject(project, hosts))) === "FAIL") return ["FAIL"];
  progress.now(`${name}: run the program`);
  const { imports, body } = project.program;
  writeFileSync(join(folder, "readme.mjs"), `${imports}\n${body}`);
  // Some comments explain a line instead of showing what it prints.
  const shown = await printed(folder, [process.execPath, "readme.mjs"], hosts).catch(() => "");
  const program = { imports, body, prints: project.program.prints.filter((line) => shown.includes(line)) };
  const cells = [];
  for (const { command } of runtimes) {
    progress.at(cells.length, runtimes.length + 1);
    cells.push(await check(program, hosts, () => printed(folder, command("readme.mjs"), hosts)));
  }
  progress.at(cells.length, runtimes.length + 1);
  const isForNode = needNode.has(name) || program.imports.includes('"node:');
  const inWorkerd = (): Promise<string> => runInWorkerd(workerd, { folder, name: "readme", program });
  cells.push(isForNode ? "-" : await check(program, hosts, inWorkerd));
  if (name === "@phasekit/openai") await serveHandler(folder, hosts);
  return cells;
}

/** For a README without a program that runs anywhere: the package can be imported. */
function importProgram(name: string): ReadmeProgram {
  const imports = `import * as entry from "${name}";`;
  return {
    imports,
    body: "console.log(`exports ${String(Object.keys(entry).length > 0)}`);",
    prints: ["exports true"],
  };
}

function folderOf(name: string): string {
  return join(scratch, name.replace("@phasekit/", ""));
}

async function installRuntimes(signal: AbortSignal): Promise<void> {
  if (existsSync(join(runtimesFolder, "node_modules", ".package-lock.json"))) return;
  mkdirSync(runtimesFolder, { recursive: true });
  writeFileSync(join(runtimesFolder, "package.json"), JSON.stringify({ private: true, dependencies: runtimePackages }));
  await npmInstall(runtimesFolder, signal);
}

/** The tarball of every package by its name. */
async function packAll({ progress, signal }: Pick<Hosts, "progress" | "signal">): Promise<ReadonlyMap<string, string>> {
  const tarballs = new Map<string, string>();
  progress.now("pack all packages");
  for (const { name, directory } of packages) {
    progress.at(tarballs.size, packages.length);
    const into = join(scratch, "tarballs", name);
    mkdirSync(into, { recursive: true });
    await run("pnpm", ["pack", "--pack-destination", into], { cwd: directory, signal });
    tarballs.set(name, join(into, readdirSync(into)[0] ?? ""));
  }
  return tarballs;
}

/** The runtimes, and where progress is shown. */
interface Hosts {
  readonly workerd: string;
  readonly runtimes: readonly Runtime[];
  readonly progress: Progress;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

interface Project {
  readonly name: string;
  /** The libraries that the program needs, and their versions. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly program: ReadmeProgram;
  readonly tarballs: ReadonlyMap<string, string>;
}

/** An empty project with the tarballs that a README needs, and its hosts in the versions the package is tested with. */
async function installProject({ name, hosts, program, tarballs }: Project, { signal }: Hosts): Promise<string> {
  const folder = folderOf(name);
  mkdirSync(folder);
  const needed = new Set([name]);
  for (const { name: other } of packages) if (program.imports.includes(`"${other}`)) needed.add(other);
  // A set grows while it is read: these are all packages that the needed ones depend on.
  for (const each of needed)
    for (const dependency of packages.find((one) => one.name === each)?.dependencies ?? [])
      if (tarballs.has(dependency)) needed.add(dependency);
  const files = [...needed].map((each) => [each, `file:${String(tarballs.get(each))}`]);
  const dependencies = {
    ...(Object.fromEntries(files) as object),
    ...hosts,
  };
  const overrides = Object.fromEntries([...lockedVersions()].filter(([each]) => !(each in dependencies)));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies, overrides }),
  );
  await npmInstall(folder, signal);
  return folder;
}

/** The peers of a package, in the versions of its development dependencies. */
function testedHosts(directory: string): Readonly<Record<string, string>> {
  const { peerDependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  ) as Readonly<Record<"peerDependencies" | "devDependencies", Readonly<Record<string, string>> | undefined>>;
  return Object.fromEntries(
    [...Object.keys(peerDependencies), "zod"].flatMap((name) => {
      const version = devDependencies[name];
      return version === undefined || version.startsWith("workspace:") ? [] : [[name, version]];
    }),
  );
}

/** All peers are named, and npm takes minutes to work out those of LangChain: `--legacy-peer-deps` leaves that out. */
async function npmInstall(folder: string, signal: AbortSignal): Promise<void> {
  const flags = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...flags], { cwd: folder, signal });
}

async function printed(
  folder: string,
  [command = "", ...rest]: readonly string[],
  { signal }: Pick<Hosts, "signal">,
): Promise<string> {
  const { stdout } = await run(command, rest, { cwd: folder, timeout: 120_000, env: environment(), signal });
  return stdout;
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
    DENO_DIR: join(runtimesFolder, "deno"),
  };
}

/** "ok" if it prints what its comments say, "ran" if it has no such comment, or "FAIL" with the reason above. */
async function check(
  { prints }: Pick<ReadmeProgram, "prints">,
  { progress, signal }: Pick<Hosts, "progress" | "signal">,
  work: () => Promise<string>,
): Promise<string> {
  try {
    const output = await work();
    const missing = prints.filter((line) => !output.includes(line));
    if (missing.length === 0) return prints.length > 0 ? "ok" : "ran";
    progress.print(`missing: ${missing.join(" | ")}\nprinted: ${output}`);
  } catch (error) {
    signal.throwIfAborted();
    progress.print(error instanceof Error ? error.message.slice(0, 2000) : String(error));
  }
  failed += 1;
  return "FAIL";
}

/** Serves the handler of the example with each runtime that has a server for it. */
async function serveHandler(project: string, hosts: Hosts): Promise<void> {
  const { workerd, runtimes, progress } = hosts;
  progress.now("examples/fetch-handler: serve");
  const example = join(root, "examples/fetch-handler");
  const folder = join(project, "fetch-handler");
  cpSync(example, folder, {
    recursive: true,
    filter: (path) => !path.includes("node_modules") && !path.endsWith("package.json"),
  });
  const cells = [];
  for (const { name, command } of runtimes) {
    const [program, ...rest] = command(`serve-${name.toLowerCase()}.ts`);
    if (!existsSync(join(folder, `serve-${name.toLowerCase()}.ts`)) || program === undefined) cells.push("-");
    else
      cells.push(
        await checkServer(hosts, () =>
          started(
            spawn(program, rest, {
              cwd: folder,
              env: environment(),
              stdio: ["ignore", "pipe", "inherit"],
            }),
          ),
        ),
      );
  }
  cells.push(
    await checkServer(hosts, () =>
      serveInWorkerd(workerd, {
        folder,
        config: "worker.capnp",
        entry: "handler.ts",
      }),
    ),
  );
  progress.print(renderRow("examples/fetch-handler", cells));
}

interface Server {
  readonly url: string;
  readonly close: () => void;
}

/** Waits for the server to print its address. */
function started(child: ChildProcess): Promise<Server> {
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      const [url] = /http:\S+/.exec(chunk.toString()) ?? [];
      if (url !== undefined) resolve({ url, close: () => void child.kill() });
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`The server ended with exit code ${String(code)}.`)));
  });
}

function checkServer(hosts: Hosts, start: () => Promise<Server>): Promise<string> {
  return check(
    {
      prints: ['200 {"text":"It has 12 lines.","reason":"done","turns":2,"calls":1}', "502"],
    },
    hosts,
    async () => {
      const { url, close } = await start();
      try {
        const ask = async (prompt: string): Promise<string> => {
          const response = await fetch(url, {
            method: "POST",
            body: JSON.stringify({ prompt }),
          });
          return `${String(response.status)} ${await response.text()}`;
        };
        return (await Promise.all([ask("How long is README.md?"), ask("Fail.")])).join("\n");
      } finally {
        close();
      }
    },
  );
}

function renderRow(name: string, cells: readonly string[]): string {
  return [name.padEnd(26), ...cells.map((cell) => cell.padEnd(8))].join(" ").trimEnd();
}
