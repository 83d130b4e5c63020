import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishedPackages, root } from "./workspace.ts";

/** Packs every package as it would be published, once, and looks at that file: its manifest, its files, two tools. */
const folder = mkdtempSync(join(tmpdir(), "phasekit-pack-"));
try {
  for (const { directory } of publishedPackages()) {
    execFileSync("pnpm", ["pack", "--pack-destination", folder], {
      cwd: directory,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  for (const file of readdirSync(folder)) {
    checkManifest(file);
    checkFiles(file);
    inspect("publint", "--strict", join(folder, file));
    inspect("attw", "--profile", "esm-only", "--no-definitely-typed", "--format", "ascii", join(folder, file));
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** A user has no sources, so nothing in a packed manifest leads there. .pnpmfile.mjs takes it out. */
function checkManifest(file: string): void {
  const text = execFileSync("tar", ["-xzOf", join(folder, file), "package/package.json"], { encoding: "utf8" });
  const { exports, imports } = JSON.parse(text) as { readonly exports?: unknown; readonly imports?: unknown };
  if (!/phasekit-source|\.ts"|\.\/src\//.test(JSON.stringify([exports, imports]).replaceAll(".d.ts", ""))) return;
  console.error(`${file}: its exports or imports name sources.`);
  process.exitCode = 1;
}

/** A tarball has its licence and change log, and neither source maps nor sources (decision 0036). */
function checkFiles(file: string): void {
  const names = execFileSync("tar", ["-tzf", file], { cwd: folder, encoding: "utf8" }).trim().split("\n");
  const problems = [
    ...["package/LICENSE", "package/README.md", "package/CHANGELOG.md"]
      .filter((name) => !names.includes(name))
      .map((name) => `lacks ${name}`),
    ...names.filter((name) => /\.map$|^package\/src\//.test(name)).map((name) => `has ${name}`),
  ];
  for (const problem of problems) console.error(`${file} ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** Prints what a tool says only when it has something to complain about. */
function inspect(tool: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd: root, encoding: "utf8" });
  if (status === 0) return;
  console.error(stdout + stderr);
  process.exitCode = 1;
}
