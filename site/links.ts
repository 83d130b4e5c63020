import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "@phasekit/tooling/workspace";
import type { Page } from "./content.ts";

const REPOSITORY = "https://github.com/phasekit/phasekit";
const TARGET = /(?<=\]\()[^)\s]+(?=\))/g;

/**
 * The text of a page with its links as the site needs them: to another page where there is one, to the repository for
 * everything else. Code is left alone. Throws if a link leads nowhere.
 */
export function linkPages(pages: readonly Page[]): ReadonlyMap<string, string> {
  const bySource = new Map(pages.map(({ path, source }) => [source, path]));
  bySource.set("README.md", "index.md");
  // A page made from a folder is also where links to that folder and its program lead.
  for (const { path } of pages) {
    const folder = /^examples\/(?!index)(.+)\.md$/.exec(path)?.[1];
    if (folder !== undefined) bySource.set(`examples/${folder}/main.ts`, path);
  }
  bySource.set("examples/README.md", "examples/index.md");
  return new Map(
    pages.map((page) => [
      page.path,
      outsideCode(page.text, (text) =>
        text.replaceAll(TARGET, (target) =>
          /^(?:[a-z]+:|#|\/)/.test(target) ? target : linkOf(page, target, bySource),
        ),
      ),
    ]),
  );
}

function linkOf({ source, path }: Page, target: string, bySource: ReadonlyMap<string, string>): string {
  const [file = "", anchor] = target.split("#");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const found = posix.normalize(posix.join(posix.dirname(source), file)).replace(/\/$/, "");
  const page = bySource.get(found);
  if (page !== undefined) return posix.relative(posix.dirname(path), page).replace(/^(?!\.)/, "./") + hash;
  const local = join(root, found);
  if (!existsSync(local)) throw new Error(`${source} links to "${target}", which does not exist.`);
  if (/^docs\/.+\.(?:png|svg|webp)$/.test(found))
    return posix.relative(posix.dirname(path), found.slice("docs/".length)).replace(/^(?!\.)/, "./");
  return `${REPOSITORY}/${statSync(local).isDirectory() ? "tree" : "blob"}/main/${found}${hash}`;
}

/** Changes the prose of a page: not its fenced blocks, and not code in a line. */
function outsideCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^(?:`{3,})[^\n]*\n[\s\S]*?^`{3,}[ \t]*$|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}
