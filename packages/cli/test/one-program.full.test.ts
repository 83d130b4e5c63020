import { readClosure } from "@phasekit/tooling/read-closure";
import { publishedPackages } from "@phasekit/tooling/workspace";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { BUILT, emptyHome, phasekit } from "./run-cli.ts";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const dist = dirname(BUILT);

const scripts = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(dist, name), "utf8") }));
const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest;

describe("the built program", () => {
  it("imports nothing but Node and its dependencies", () => {
    const { dependencies = {} } = readManifest(join(dist, "../package.json"));
    const imported = scripts.flatMap(({ text }) =>
      [...text.matchAll(/(?:^(?:import|export)(?: [^"';()]* from)? |\bimport\()["']([^."'#][^"']*)["']/gm)].map(
        ([, name = ""]) => name,
      ),
    );
    const packages = new Set(imported.map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/")));
    const allowed = ["node:", ...builtinModules, ...Object.keys(dependencies)];
    expect([...packages].filter((name) => !name.startsWith("node:") && !allowed.includes(name))).toEqual([]);
    // The text of what esbuild throws where CommonJS asks for a module of Node.
    const requires = scripts.filter(({ text }) => text.includes("Dynamic require of"));
    expect(requires.map(({ name }) => name)).toEqual([]);
  });

  it("takes at most 15 MB with everything that npm installs beside it", () => {
    const packages = publishedPackages();
    const ours = packages.filter(({ name }) => name === "phasekit");
    const closures = ours.map(readClosure);
    const own = new Set(["phasekit", ...closures.flatMap((closure) => closure.own)]);
    const built = packages.filter(({ name }) => own.has(name)).map(({ directory }) => sizeOf(join(directory, "dist")));
    const sizes = [...built, ...closures.flatMap(({ foreign }) => foreign).map(({ size }) => size)];
    expect(sizes.length).toBeGreaterThan(own.size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15e6);
  });

  it("gives a config file its own copies of the packages", async () => {
    const cwd = emptyHome();
    writeFileSync(
      join(cwd, "phasekit.config.ts"),
      `import { defineConfig } from "phasekit";
       import { codingRunOptions } from "@phasekit/coding";
       import { createPipeline } from "@phasekit/contracts";
       import { budget } from "@phasekit/core";
       import { createMemoryStore } from "@phasekit/ledger";
       console.error(typeof createPipeline, typeof createMemoryStore, typeof budget);
       export default defineConfig({ run: codingRunOptions() });`,
    );
    writeFileSync(join(cwd, "log.json"), sampleLogs.verified);
    const { out, error } = await phasekit(["why", "log.json", "--trust-config"], { cwd, home: cwd, built: true });
    expect(error).toContain("function function function");
    expect(out).toContain("VERIFIED");
  });

  it("reads a config that is data", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.yaml"), "policy: watchdog\n");
    const { out } = await phasekit(["doctor"], { cwd, built: true });
    expect(out).toMatch(/ok +Config +.*phasekit\.config\.yaml/);
  });

  it("comes with the licenses of what it contains", () => {
    const licenses = readFileSync(join(dist, "licenses.txt"), "utf8");
    for (const name of ["zod", "yaml", "diff", "cac"]) expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
  });
});

/** The bytes of what is published of a folder. */
function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(path, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
