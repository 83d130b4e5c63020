import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages, root } from "@phasekit/tooling/workspace";
import { graphsPage } from "./graphs-page.ts";

/** A page of the site. */
export interface Page {
  /** Where it is on the site, with `.md`. */
  readonly path: string;
  /** The file it comes from, from the root of the repository. Links in its text start there. */
  readonly source: string;
  readonly text: string;
}

/** The name of a package in addresses: `core`, `ai-sdk`. */
export function shortName(folder: string): string {
  return folder.split("/").at(-1) ?? folder;
}

/** The files of the repository that are pages, by their path on the site. */
function sources(): ReadonlyMap<string, string> {
  const found = (pattern: string): readonly string[] => globSync(pattern, { cwd: root }).sort();
  return new Map([
    ...found("docs/**/*.md").map((file): [string, string] => [file.slice("docs/".length), file]),
    ...publishedPackages().flatMap(({ folder }): [string, string][] => [
      [`packages/${shortName(folder)}.md`, `${folder}/README.md`],
      [`api/${shortName(folder)}.md`, `${folder}/api.md`],
    ]),
    ["examples/index.md", "examples/README.md"],
    ["contributing/index.md", "CONTRIBUTING.md"],
    ["security.md", "SECURITY.md"],
    ...found("site/pages/**/*.md").map((file): [string, string] => [file.slice("site/pages/".length), file]),
  ]);
}

/**
 * All pages: the docs, README and API report of every package, an example's program for every folder of `examples`, and
 * the graphs that core brings. `outputs` has what an example prints, by its folder.
 */
export function sitePages(outputs: ReadonlyMap<string, string>): readonly Page[] {
  const pages = [...sources()].map(([path, source]) => ({ path, source, text: read(source) }));
  return [
    ...pages,
    ...exampleFolders().map((folder) => examplePage(folder, outputs.get(folder))),
    { path: "graphs.md", source: "docs/graphs.md", text: graphsPage() },
  ];
}

/** The folders of `examples` that have a program. */
export function exampleFolders(): readonly string[] {
  return globSync("examples/*/main.ts", { cwd: root })
    .map((file) => file.replaceAll("\\", "/").split("/")[1] ?? "")
    .filter((folder) => folder !== "snippets")
    .sort();
}

/** The comment at the top of a program is its story; the code and its output follow. */
function examplePage(folder: string, output: string | undefined): Page {
  const source = `examples/${folder}/main.ts`;
  const program = read(source);
  const comment = /^(?:\/\/.*\n)+/.exec(program)?.[0] ?? "";
  const story = comment.replaceAll(/^\/\/ ?/gm, "").trim();
  const parts = [
    `# ${folder}`,
    story,
    `[The folder](${folder}) has everything it needs. In a clone: \`npx --yes pnpm@12 -C examples/${folder} demo\`.`,
    fenced("ts", program.slice(comment.length).trim()),
  ];
  if (output !== undefined && output.trim() !== "") parts.push("It prints:", fenced("text", output.trimEnd()));
  return { path: `examples/${folder}.md`, source: `examples/README.md`, text: `${parts.join("\n\n")}\n` };
}

function fenced(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The text of a page. Comments are for programs that write parts of it. */
function read(file: string): string {
  return readFileSync(join(root, file), "utf8").replaceAll(/^<!--.*-->\n+/gm, "");
}
