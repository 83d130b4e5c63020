import { existsSync, globSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { publishedPackages, type WorkspacePackage } from "../workspace.ts";

/** A package of others, as it is installed. */
export interface ForeignPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Bytes of all its files. */
  readonly size: number;
  /** The scripts that a package manager would run, and `binding.gyp`, which makes npm compile. */
  readonly installScripts: readonly string[];
  /** The package that names it: one of ours, or another foreign one. */
  readonly neededBy: string;
}

/** All that an installation of one of our packages brings. */
export interface Closure {
  readonly name: string;
  readonly own: readonly string[];
  readonly foreign: readonly ForeignPackage[];
  /** Packages of others that its build contains: nothing is installed for them. */
  readonly inside: readonly ForeignPackage[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const LIFECYCLE = ["preinstall", "install", "postinstall"];

/** Follows the dependencies of a package as they are installed in the workspace; peers are what a user has already. */
export function readClosure(start: WorkspacePackage): Closure {
  const ours = new Map(publishedPackages().map((each) => [each.name, each]));
  const own = new Set<string>();
  const foreign = new Map<string, ForeignPackage>();
  const visit = (directory: string): void => {
    const manifest = readManifest(directory);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const neighbour = ours.get(name);
      if (neighbour !== undefined) {
        if (own.has(name)) continue;
        own.add(name);
        visit(neighbour.directory);
        continue;
      }
      const installed = resolve(directory, name);
      if (installed === undefined || foreign.has(installed)) continue;
      foreign.set(installed, describe(installed, manifest.name));
      visit(installed);
    }
  };
  visit(start.directory);
  return { name: start.name, own: [...own].sort(), foreign: byName(foreign.values()), inside: insideOf(start, ours) };
}

/** The development dependencies that sources import as values end up in the build, with what they need themselves. */
function insideOf(
  { directory }: WorkspacePackage,
  ours: ReadonlyMap<string, WorkspacePackage>,
): readonly ForeignPackage[] {
  const { name: neededBy, devDependencies = {}, dependencies = {}, peerDependencies = {} } = readManifest(directory);
  const imported = importedBy(join(directory, "src"));
  const found = Object.keys(devDependencies)
    .filter((name) => imported.has(name) && (ours.has(name) || !(name in peerDependencies)))
    .flatMap((name) => {
      const neighbour = ours.get(name);
      if (neighbour !== undefined) {
        const { foreign, inside } = readClosure(neighbour);
        return [...foreign, ...inside];
      }
      const installed = resolve(directory, name);
      return installed === undefined ? [] : [describe(installed, neededBy)];
    })
    .filter(({ name }) => !(name in dependencies));
  return byName(new Map(found.map((each) => [each.name, each])).values());
}

/** The packages that the sources in a folder import as values, without tests and fixtures. */
function importedBy(folder: string): ReadonlySet<string> {
  const files = globSync("**/*.{ts,tsx}", { cwd: folder }).filter((file) => !/\.test(?:-d)?\.|__fixtures__/.test(file));
  const specifiers = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(IMPORT)].map(([, from = "", later = ""]) => from || later),
  );
  return new Set(specifiers.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""));
}

const IMPORT = /^(?:import|export)(?! type)[^;]*? from "([^".#][^"]*)"|import\("([^".#][^"]*)"\)/gm;

function byName(packages: Iterable<ForeignPackage>): readonly ForeignPackage[] {
  return [...packages].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function describe(directory: string, neededBy: string): ForeignPackage {
  const { name, version, license = "none", scripts = {} } = readManifest(directory);
  const compiles = existsSync(join(directory, "binding.gyp")) ? ["binding.gyp"] : [];
  const installScripts = [...LIFECYCLE.filter((script) => script in scripts), ...compiles];
  return { name, version, license, size: sizeOf(directory), installScripts, neededBy };
}

/** The folder of a dependency: beside the package, or in a `node_modules` above it. */
function resolve(from: string, name: string): string | undefined {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}
