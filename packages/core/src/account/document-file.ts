import { isTestFile } from "./test-file.ts";

const PROSE = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|org|textile)$/i;
const NAMED = new RegExp(
  "^(?:readme|licen[cs]e|copying|notice|authors|contributors|maintainers|changelog|changes|history|todo)" +
    "(?:[-_.][\\w-]*)?$",
  "i",
);
// Prose by its ending, but a program reads it: lists of dependencies and build files.
const READ_BY_TOOLS = /^(?:cmakelists|(?:[\w-]*[-_.])?(?:requirements|constraints)[\w.-]*|robots)\.txt$/i;
// Prose in these folders is data of the program or of its tests.
const DATA_FOLDER = new RegExp(
  "(?:^|/)(?:prompts?|templates?|fixtures|__fixtures__|testdata|snapshots|__snapshots__|data|resources|assets|" +
    "requirements)/",
  "i",
);
const DOCS_FOLDER = /(?:^|\/)docs?\//i;
const SHOWN = /\.(?:png|jpe?g|gif|svg|webp|pdf|html?|css|drawio|puml|mermaid)$/i;

/**
 * True if a file is a document: something people read and no program does, so that no test can fail by a change of it.
 * Notebooks are executed, and configuration decides how the code runs, so neither is one.
 */
export function isDocumentFile(path: string): boolean {
  const file = path.includes("\\") ? path.replaceAll("\\", "/") : path;
  const name = file.slice(file.lastIndexOf("/") + 1);
  const prose = PROSE.test(name) || (NAMED.test(name) && !/\.(?!\d)/.test(name));
  // Most files are neither.
  if (!prose && !SHOWN.test(name)) return false;
  if (isTestFile(file) || READ_BY_TOOLS.test(name)) return false;
  return DOCS_FOLDER.test(file) || (prose && !DATA_FOLDER.test(file));
}
