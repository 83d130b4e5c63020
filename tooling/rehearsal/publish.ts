import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readClosure } from "../supply-chain/read-closure.ts";
import { publishedPackages, root, type WorkspacePackage } from "../workspace.ts";
import type { LocalRegistry } from "./registry.ts";

const run = promisify(execFile);
/** Files that every package needs. */
const WANTED_FILES = ["LICENSE", "README.md", "CHANGELOG.md", "package.json"];

/** A clone that is released: the workspace of a maintainer who has just merged the pull request with the versions. */
export interface Release {
  readonly folder: string;
  readonly registry: LocalRegistry;
  readonly signal: AbortSignal;
}

/** Clones what is committed, applies the changesets there are, and builds. */
export async function prepareRelease(release: Release): Promise<void> {
  const { folder, signal } = release;
  await run("git", ["clone", "--quiet", "--local", root, folder], { signal });
  await inClone(release, ["install", "--frozen-lockfile", "--prefer-offline"]);
  if (readdirSync(join(folder, ".changeset")).some((name) => name.endsWith(".md")))
    await inClone(release, ["run", "release:version"]);
  await inClone(release, ["build"]);
}

/** Publishes what the registry does not have, with the last step of the release workflow. Returns what went wrong. */
export async function publish(release: Release): Promise<string | undefined> {
  try {
    await inClone(release, ["exec", "changeset", "publish", "--no-git-tag"]);
    return undefined;
  } catch (error) {
    release.signal.throwIfAborted();
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}`.slice(-2000);
  }
}

/** The version of every package in the clone. */
export function releasedVersions(folder: string): ReadonlyMap<string, string> {
  return new Map(
    publishedPackages().map(({ name, folder: path }) => {
      const text = readFileSync(join(folder, path, "package.json"), "utf8");
      return [name, (JSON.parse(text) as { readonly version: string }).version];
    }),
  );
}

interface PackageDocument {
  readonly "dist-tags"?: { readonly latest?: string };
  readonly versions?: Readonly<Record<string, PublishedVersion>>;
}

interface PublishedVersion {
  readonly dist: { readonly tarball: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the problems of a package as the registry has it. */
export async function checkPublished(name: string, version: string, release: Release): Promise<readonly string[]> {
  const { registry, signal } = release;
  const response = await fetch(`${registry.url}/${name.replace("/", "%2f")}`, { signal });
  const document = (await response.json()) as PackageDocument;
  const published = document.versions?.[version];
  if (published === undefined) return [`version ${version} is not in the registry`];
  const latest = document["dist-tags"]?.latest;
  const files = await filesOf(published.dist.tarball, release);
  return [
    ...(latest === version ? [] : [`the tag latest is at ${String(latest)}, not ${version}`]),
    ...WANTED_FILES.filter((file) => !files.includes(`package/${file}`)).map((file) => `the tarball lacks ${file}`),
    ...Object.entries(published.dependencies ?? {})
      .filter(([, range]) => range.startsWith("workspace:"))
      .map(([dependency]) => `its dependency ${dependency} is still a path of the workspace`),
  ];
}

/** Installs a package alone, without its peers, and returns how what came differs from docs/supply-chain.md. */
export async function checkAlone(
  ours: WorkspacePackage,
  version: string,
  release: Release,
): Promise<readonly string[]> {
  const { folder, registry, signal } = release;
  const place = join(folder, "..", "alone", ours.name.replace("@phasekit/", ""));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, dependencies: { [ours.name]: version } }));
  const flags = ["--package-lock-only", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  const env = { ...process.env, NPM_CONFIG_USERCONFIG: registry.userconfig };
  await run("npm", ["install", ...flags], { cwd: place, env, signal });
  const lock = JSON.parse(readFileSync(join(place, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  const came = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1) ?? ""));
  const { own, foreign } = readClosure(ours);
  const expected = new Set(["", ours.name, ...own, ...foreign.map(({ name }) => name)]);
  return [
    ...[...came].filter((name) => !expected.has(name)).map((name) => `brings ${name}, which the page does not name`),
    ...[...expected].filter((name) => !came.has(name)).map((name) => `does not bring ${name}`),
  ];
}

async function filesOf(tarball: string, { folder, signal }: Release): Promise<readonly string[]> {
  const response = await fetch(tarball, { signal });
  const file = join(folder, "published.tgz");
  writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
  const { stdout } = await run("tar", ["-tzf", file], { signal });
  return stdout.trim().split("\n");
}

async function inClone({ folder, signal, registry }: Release, words: readonly string[]): Promise<void> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const isPublish = words.includes("publish");
  const settings = {
    CI: "true",
    ...(isPublish && {
      NPM_CONFIG_USERCONFIG: registry.userconfig,
      NPM_CONFIG_REGISTRY: registry.url,
      // pnpm does not read the variables of npm.
      pnpm_config_npmrc_auth_file: registry.userconfig,
      pnpm_config_registry: registry.url,
      // It takes the identity of a workflow, which a machine does not have.
      pnpm_config_provenance: "false",
    }),
  };
  await run("npx", ["--yes", "pnpm@12", ...words], {
    cwd: folder,
    env: { ...env, ...settings },
    signal,
    maxBuffer: 2 ** 26,
  });
}
