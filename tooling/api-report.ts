import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { publishedPackages, root, type WorkspacePackage } from "./workspace.ts";

/**
 * Compares the public API of every package with the report committed as `api.md` in its folder, and looks for one name
 * that means two things. Needs a build. `--write` writes the reports instead of comparing.
 */
const ALLOWED = join(root, "tooling/api.json");

/** A union of string literals. The compiler lists the members of an inferred one in an order that builds change. */
const LITERALS = /"[^"\n]*"(?: \| "[^"\n]*")+/g;

interface Entry {
  /** As users import it, such as `@phasekit/ledger/node`. */
  readonly name: string;
  readonly types: string;
}

interface Export {
  readonly name: string;
  readonly isType: boolean;
  readonly text: string;
  readonly declaration: ts.Declaration;
}

interface Surface {
  readonly entries: readonly { readonly name: string; readonly exports: readonly Export[] }[];
  /** Types that signatures mention and no entry exports: users meet them in their editor. */
  readonly unexported: readonly string[];
}

const packages = publishedPackages();
const write = process.argv.includes("--write");
const program = createProgram(packages.flatMap((part) => entriesOf(part).map(({ types }) => types)));
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
const surfaces = new Map(packages.map((part) => [part, surfaceOf(part)]));

const problems: string[] = [];
for (const [part, surface] of surfaces) checkReport(part, surface);
const collisions = findCollisions();
checkCollisions();
console.log(
  [...surfaces]
    .map(([part, { entries }]) => `${part.name} ${countText(entries.flatMap((each) => each.exports))}`)
    .join("\n"),
);
const all = [...surfaces.values()].flatMap(({ entries }) => entries.flatMap((entry) => entry.exports));
console.log(
  `all ${countText(all)}; ${String(collisions.size)} names mean two things: ${[...collisions.keys()].join(", ")}`,
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function entriesOf({ name, directory }: WorkspacePackage): readonly Entry[] {
  const { exports = {} } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string" || target.types === undefined
      ? []
      : [{ name: `${name}${path.slice(1)}`, types: join(directory, target.types) }],
  );
}

/** Reads declaration files of this workspace only: types of other packages are names here, so they are never loaded. */
function createProgram(files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = { noLib: true, types: [], module: ts.ModuleKind.ESNext, skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const known = new Map(packages.flatMap((part) => entriesOf(part).map(({ name, types }) => [name, types])));
  host.resolveModuleNameLiterals = (literals, importer) =>
    literals.map(({ text }) => {
      const file = text.startsWith(".") ? join(importer, "..", text.replace(/\.js$/, ".d.ts")) : known.get(text);
      return file !== undefined && existsSync(file)
        ? { resolvedModule: { resolvedFileName: realpathSync(file), extension: ts.Extension.Dts } }
        : { resolvedModule: undefined };
    });
  const missing = files.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`Build first: ${missing.join(", ")} do not exist.`);
  return ts.createProgram({ rootNames: [...files], options, host });
}

function surfaceOf(part: WorkspacePackage): Surface {
  const entries = entriesOf(part).map(({ name, types }) => ({ name, exports: exportsOf(types) }));
  const exported = new Set(entries.flatMap((entry) => entry.exports.map(({ declaration }) => declaration)));
  const found = new Map<ts.Declaration, string>();
  const queue = [...exported];
  for (let declaration = queue.pop(); declaration !== undefined; declaration = queue.pop())
    for (const mentioned of mentionedIn(declaration, join(part.directory, "dist"))) {
      if (exported.has(mentioned) || found.has(mentioned)) continue;
      found.set(mentioned, declarationText(mentioned));
      queue.push(mentioned);
    }
  return { entries, unexported: [...found.values()].sort() };
}

function exportsOf(file: string): readonly Export[] {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  // An entry that exports nothing, such as that of a command, is not a module.
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .flatMap((symbol) => {
      const declarations = resolve(symbol).declarations ?? [];
      const [declaration] = declarations;
      if (declaration === undefined) throw new Error(`${file} exports ${symbol.name}, which has no declaration.`);
      const isType = declarations.every((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each));
      const text = declarations.map(declarationText).join("\n");
      return [{ name: symbol.name, isType, text, declaration }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function resolve(symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** A declaration as users would write it: without comments, `export` and `declare`. */
function declarationText(declaration: ts.Declaration): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return printer
    .printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
    .replace(/^(?:export )?(?:declare )?/, "")
    .replaceAll(LITERALS, (union) => union.split(" | ").sort().join(" | "));
}

/** The types of this package that a declaration mentions. */
function mentionedIn(declaration: ts.Declaration, folder: string): readonly ts.Declaration[] {
  const mentioned: ts.Declaration[] = [];
  const visit = (node: ts.Node): void => {
    const name = nameIn(node);
    const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    for (const each of symbol === undefined ? [] : (resolve(symbol).declarations ?? []))
      if (!ts.isTypeParameterDeclaration(each) && each.getSourceFile().fileName.startsWith(folder))
        mentioned.push(each);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return mentioned;
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

function reportOf({ name }: WorkspacePackage, { entries, unexported }: Surface): string {
  const block = (texts: readonly string[]): string => `\`\`\`ts\n${texts.join("\n")}\n\`\`\`\n`;
  return [
    `# API report of ${name}\n`,
    "Written by `pnpm api`; `pnpm check` fails while it differs from the build. Do not edit it by hand.\n",
    ...entries.map(
      ({ name: entry, exports }) =>
        `## ${entry}\n\n${countText(exports)}\n\n${exports.length === 0 ? "" : block(exports.map(({ text }) => text))}`,
    ),
    ...(unexported.length === 0 ? [] : [`## Mentioned in signatures, not exported\n\n${block(unexported)}`]),
  ].join("\n");
}

function countText(exports: readonly Export[]): string {
  const types = exports.filter(({ isType }) => isType).length;
  return `${String(exports.length)} names: ${String(exports.length - types)} values, ${String(types)} types`;
}

function checkReport(part: WorkspacePackage, surface: Surface): void {
  const path = join(part.directory, "api.md");
  const report = reportOf(part, surface);
  if (existsSync(path) && readFileSync(path, "utf8") === report) return;
  if (write) {
    writeFileSync(path, report);
    return;
  }
  problems.push(
    `The public API of ${part.name} differs from ${part.folder}/api.md.`,
    "If the change is intended, run `npx --yes pnpm@12 api` and commit the file.",
    diff(path, report),
  );
}

function diff(path: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "phasekit-api-"));
  const file = join(folder, "api.md");
  writeFileSync(file, text);
  try {
    execFileSync("git", [
      "diff",
      "--no-index",
      "--no-color",
      "--unified=2",
      existsSync(path) ? path : "/dev/null",
      file,
    ]);
    return "";
  } catch (error) {
    // git exits with 1 when the files differ.
    const lines = String((error as { readonly stdout?: unknown }).stdout)
      .split("\n")
      .slice(4);
    return [...lines.slice(0, 60), ...(lines.length > 60 ? [`… ${String(lines.length - 60)} more lines`] : [])].join(
      "\n",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Names that two packages, or two entries of one, export for different things. Adapters share names on purpose: a
 * project has one of them, and what has one name does the same for each host.
 */
function findCollisions(): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, Map<ts.Declaration, string>>();
  for (const [{ folder }, { entries }] of surfaces)
    for (const { name: entry, exports } of entries)
      for (const { name, declaration } of exports) {
        const meanings = byName.get(name) ?? new Map<ts.Declaration, string>();
        const where = isAdapter(folder) ? "an adapter" : entry;
        if (!meanings.has(declaration) && ![...meanings.values()].includes(where)) meanings.set(declaration, where);
        byName.set(name, meanings);
      }
  return new Map(
    [...byName]
      .filter(([, meanings]) => meanings.size > 1)
      .map(([name, meanings]): [string, readonly string[]] => [name, [...meanings.values()].sort()])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** True for packages that put a run into a host's client or agent; `mcp` wraps MCP clients. */
function isAdapter(folder: string): boolean {
  return folder.startsWith("packages/adapters/") || folder === "packages/mcp";
}

/** The list of collisions can only shrink: writing removes what is gone and never adds. */
function checkCollisions(): void {
  const { collisions: allowed } = JSON.parse(readFileSync(ALLOWED, "utf8")) as {
    readonly collisions: readonly string[];
  };
  for (const [name, entries] of collisions)
    if (!allowed.includes(name))
      problems.push(`"${name}" means two things: ${entries.join(" and ")} export it. Rename one.`);
  const left = allowed.filter((name) => collisions.has(name));
  if (left.length === allowed.length) return;
  if (write) writeFileSync(ALLOWED, `${JSON.stringify({ collisions: left }, undefined, 2)}\n`);
  else {
    const gone = allowed.filter((name) => !collisions.has(name));
    problems.push(
      `No longer collide: ${gone.join(", ")}. \`npx --yes pnpm@12 api\` removes them from tooling/api.json.`,
    );
  }
}
