import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@phasekit/tooling/workspace";

/** One block of TypeScript in a page of the documentation. */
export interface Block {
  /** The page's path from the root, with forward slashes. */
  readonly page: string;
  /** The line of the page on which the code begins. */
  readonly line: number;
  /** Blank lines up to `line`, then the code: lines of the block and of the page have the same numbers. */
  readonly code: string;
  /** False if fenced as `ts no-run`: such a block is only type-checked. */
  readonly runs: boolean;
  /** The folder of the page; imports resolve from there. */
  readonly folder: string;
}

const PAGES = ["README.md", "packages/*/README.md", "packages/adapters/*/README.md", "docs/**/*.md"];

/** Output of a program in a page: fenced as `text` and the path of the program from the root. */
export interface Output {
  readonly page: string;
  readonly line: number;
  readonly text: string;
  readonly program: string;
}

/** The parts of the pages that can be checked. */
export interface Blocks {
  readonly blocks: readonly Block[];
  readonly outputs: readonly Output[];
}

/** Everything in the documentation that can be checked. */
export function documentedBlocks(): Blocks {
  const pages = globSync(PAGES, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
  const found = pages.map((page) => blocksIn(readFileSync(join(root, page), "utf8"), page));
  return { blocks: found.flatMap(({ blocks }) => blocks), outputs: found.flatMap(({ outputs }) => outputs) };
}

/** The blocks of one page. A fence ends with as many backticks as it began with. */
export function blocksIn(markdown: string, page: string): Blocks {
  const blocks: Block[] = [];
  const outputs: Output[] = [];
  let open:
    { readonly fence: string; readonly info: string; readonly line: number; readonly code: string[] } | undefined;
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    if (open === undefined) {
      const [, fence, info = ""] = /^(`{3,})(.*)$/.exec(text) ?? [];
      if (fence !== undefined) open = { fence, info: info.trim(), line: index + 2, code: [] };
    } else if (text.trimEnd() === open.fence) {
      const [language, ...words] = open.info.split(/\s+/);
      const { line, code } = open;
      if (language === "ts") {
        const padded = `${"\n".repeat(line - 1)}${code.join("\n")}\n`;
        blocks.push({ page, line, code: padded, runs: !words.includes("no-run"), folder: join(root, page, "..") });
      } else if (language === "text" && words[0] !== undefined)
        outputs.push({ page, line, text: code.join("\n"), program: words[0] });
      open = undefined;
    } else open.code.push(text);
  }
  if (open !== undefined) throw new Error(`${page}:${open.line - 1} opens a block that nothing closes.`);
  return { blocks, outputs };
}
