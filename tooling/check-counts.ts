import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { type Hit, packageAreas, ratchet } from "./ratchet.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Counts what makes a package hard to learn: exported values, files in one folder, long functions. Fails above the
 * numbers in tooling/counts.json, which can only shrink: `--write` lowers them and never raises one.
 *
 *   node tooling/start.mjs tooling/check-counts.ts compares with tooling/counts.json;
 *   node tooling/start.mjs tooling/check-counts.ts --list core shows every hit of one area,
 * with an optional pattern after it.
 */
const MAX_FILES = 25;
const MAX_LINES = 80;

const VALUES = "exported values";
const FILES = `files over ${String(MAX_FILES)} in a folder`;
const FUNCTIONS = `functions over ${String(MAX_LINES)} lines`;

/** Conditional targets of an entry in `exports`, nested as deep as they are. */
interface Targets {
  readonly [condition: string]: string | Targets;
}

const packages = packageAreas();
ratchet({
  program: "check-counts",
  limits: "counts.json",
  areas: packages.map(([area]) => area),
  patterns: {
    [VALUES]: "Keep a value inside the package, or remove one that nothing outside uses.",
    [FILES]: "Make a folder for the part they belong to.",
    [FUNCTIONS]: "Move a second idea into a function of its own.",
  },
  hits: packages.flatMap(([area, part]) => hitsIn(area, part)),
});

function hitsIn(area: string, part: WorkspacePackage): readonly Hit[] {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: part.directory })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/\.test(?:-d)?\.tsx?$|(?:^|\/)__fixtures__\//.test(path))
    .sort();
  const full = (path: string): string => `${part.folder}/${path}`;
  return [
    ...entriesOf(part).flatMap((entry) =>
      exportedValues(read(part, entry)).map((text) => ({ area, pattern: VALUES, where: full(entry), text })),
    ),
    ...files.flatMap((path) => {
      const place = files.filter((other) => dirname(other) === dirname(path)).indexOf(path) + 1;
      return place > MAX_FILES ? [{ area, pattern: FILES, where: full(path), text: `file ${String(place)}` }] : [];
    }),
    ...files.flatMap((path) =>
      longFunctions(read(part, path)).map(({ line, text }) => ({
        area,
        pattern: FUNCTIONS,
        where: `${full(path)}:${String(line)}`,
        text,
      })),
    ),
  ];
}

function read({ directory }: WorkspacePackage, path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(directory, path), "utf8"), ts.ScriptTarget.Latest, true);
}

/** The sources of a package's entries. */
function entriesOf({ directory }: WorkspacePackage): readonly string[] {
  const { exports = {} } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly exports?: Targets;
  };
  return [...new Set(Object.values(exports).flatMap((target) => sourceOf(target) ?? []))];
}

/** The source of an entry: the first one, as entries for several runtimes export the same names. */
function sourceOf(target: string | Targets): string | undefined {
  if (typeof target === "string") return undefined;
  const source = target["phasekit-source"];
  if (typeof source === "string") return source.replace(/^\.\//, "");
  return Object.values(source ?? target).flatMap((each) =>
    typeof each === "string" ? (/\.tsx?$/.test(each) && !each.endsWith(".d.ts") ? [each] : []) : (sourceOf(each) ?? []),
  )[0];
}

/** Names of the values that an entry exports. Entries have named exports only, and mark types. */
function exportedValues(entry: ts.SourceFile): readonly string[] {
  return entry.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      if (statement.isTypeOnly) return [];
      const { exportClause } = statement;
      if (exportClause === undefined) throw new Error(`${entry.fileName} exports everything of a file: name it.`);
      return ts.isNamespaceExport(exportClause)
        ? [exportClause.name.text]
        : exportClause.elements.flatMap(({ isTypeOnly, name }) => (isTypeOnly ? [] : [name.text]));
    }
    const isExported = ts.canHaveModifiers(statement) && hasExport(statement);
    if (!isExported || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return [];
    return ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [(ts.getNameOfDeclaration(statement as ts.Declaration)?.getText() ?? "default").trim()];
  });
}

function hasExport(statement: ts.HasModifiers): boolean {
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

function longFunctions(file: ts.SourceFile): readonly { readonly line: number; readonly text: string }[] {
  const found: { readonly line: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const first = file.getLineAndCharacterOfPosition(node.getStart()).line;
      const lines = file.getLineAndCharacterOfPosition(node.end).line - first + 1;
      if (lines > MAX_LINES) found.push({ line: first + 1, text: `${nameOf(node)}, ${String(lines)} lines` });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? "a function";
}
