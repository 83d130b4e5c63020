import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "typescript";
import { referencePages } from "./reference-pages.ts";
import { publicEntries, publishedPackages, root } from "./workspace.ts";

/**
 * Checks the documentation without running it: generated pages are fresh, the README of a package
 * has its five parts and names every export, links lead somewhere, and the tests that pages name exist.
 */
const problems: string[] = [];
for (const [path, text] of referencePages()) {
  if (read(path) !== text) problems.push(`${path} is not what the sources say. Run \`npx --yes pnpm@12 reference\`.`);
}
for (const { folder, directory } of publishedPackages()) {
  if (existsSync(join(directory, "src/index.ts"))) checkReadme(folder);
}
const pages = ["*.md", "docs/**/*.md", "bench/{,*/}*.md", "examples/*.md", "packages/{*,adapters/*}/README.md"];
for (const page of globSync(pages, { cwd: root }).sort()) {
  checkLinks(page.replaceAll("\\", "/"));
}
checkMaps();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function read(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}

function checkReadme(folder: string): void {
  const page = `${folder}/README.md`;
  const parts = read(page).split(/^## /m);
  const headings = parts.slice(1).map((part) => part.split("\n", 1)[0] ?? "");
  const wanted = ["Install", "Example", "Exports", "What it does not do"];
  if (headings.join("; ") !== wanted.join("; ")) {
    problems.push(
      `${page} must have these parts after its first sentence: ${wanted.join("; ")}. It has: ${headings.join("; ")}.`,
    );
    return;
  }
  const listed = parts[wanted.indexOf("Exports") + 1] ?? "";
  const exported = globSync(`${folder}/${publicEntries}`, { cwd: root }).flatMap(exportsOf);
  const mentioned = new Set([...listed.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => /^\w+/.exec(code)?.[0] ?? ""));
  // Values must be listed; the types that go with them may be; the editor shows them anyway.
  for (const { name, isType } of exported)
    if (!isType && !mentioned.has(name)) problems.push(`${page} does not list the export \`${name}\`.`);
  for (const [, name = ""] of listed.matchAll(/^- `(\w+)/gm)) {
    if (!exported.some((known) => known.name === name))
      problems.push(`${page} lists \`${name}\`, which the package does not export.`);
  }
}

/** The exports of an entry. */
function exportsOf(path: string): readonly { readonly name: string; readonly isType: boolean }[] {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest);
  return source.statements
    .filter(ts.isExportDeclaration)
    .flatMap(({ exportClause, isTypeOnly: typesOnly }) =>
      exportClause !== undefined && ts.isNamedExports(exportClause)
        ? exportClause.elements.map(({ name, isTypeOnly }) => ({ name: name.text, isType: typesOnly || isTypeOnly }))
        : [],
    );
}

function checkLinks(page: string): void {
  const text = read(page);
  for (const { 1: label = "", 2: target = "", index } of text.matchAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    const complain = (problem: string): number =>
      problems.push(`${page}:${text.slice(0, index).split("\n").length} ${problem}`);
    if (!existsSync(join(root, file))) complain(`links to ${target}, which does not exist.`);
    else if (anchor !== undefined && !headingIds(read(file)).includes(anchor))
      complain(`links to ${target}: there is no such heading.`);
    else if (/\.test\.ts$/.test(path)) {
      // A link to a test names it: its label is the title.
      const title = label.replaceAll(/\s+/g, " ");
      if (!titlesIn(read(file)).includes(title)) complain(`names the test "${title}", which ${file} does not have.`);
    }
  }
}

/** The pages that say where things are name everything there is, and the files they name exist. */
function checkMaps(): void {
  const [agents, readme, llms, release] = ["AGENTS.md", "README.md", "llms.txt", "docs/contributing/release.md"].map(
    read,
  );
  const expected = (page: string, text = "", wanted: readonly string[]): void => {
    for (const name of wanted) if (!text.includes(name)) problems.push(`${page} does not name ${name}.`);
  };
  const folders = globSync("*/", { cwd: root, exclude: ["node_modules"] }).map((name) => `${basename(name)}/`);
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  expected("AGENTS.md", agents, [
    ...folders.filter((name) => !name.startsWith(".")),
    ...publishedPackages().map(({ folder }) => (folder.includes("adapters") ? `/${basename(folder)}` : folder)),
  ]);
  expected(
    "AGENTS.md or release.md",
    `${agents ?? ""}${release ?? ""}`,
    Object.keys(scripts).map((name) => `pnpm@12 ${name}`),
  );
  expected(
    "README.md",
    readme,
    publishedPackages().map(({ name }) => name),
  );
  expected(
    "llms.txt",
    llms,
    globSync("docs/{,start/}*.md", { cwd: root }).map((page) => page.replaceAll("\\", "/")),
  );
  const architecture = "docs/contributing/architecture.md";
  for (const [, file = ""] of read(architecture).matchAll(/`([a-z-]+\/[\w./-]+\.ts)`/g))
    if (
      ![file, `packages/core/src/${file}`, `packages/core/src/step/${file}`].some((path) =>
        existsSync(join(root, path)),
      )
    )
      problems.push(`${architecture} names ${file}, which does not exist.`);
}

/** The titles of a test file as written. */
function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(/(?:"((?:[^"\\\n]|\\.)+)"|`([^`\n]+)`|'([^'\n]+)')/g)].map(
    ([, double, template, single]) => (double ?? template ?? single ?? "").replaceAll('\\"', '"'),
  );
}

/** Headings as GitHub turns them into anchors. */
function headingIds(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
