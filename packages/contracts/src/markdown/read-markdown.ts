import { splitFrontMatter } from "../contract/parse-contract.ts";
import { createHtmlVisibility } from "./html-visibility.ts";
import { inlineText } from "./inline-text.ts";
import { scanBlocks } from "./scan-blocks.ts";
import { keepVisible } from "./visible-characters.ts";

/** A block of a Markdown text, as far as a reader sees it. */
export interface MarkdownBlock {
  readonly type: "heading" | "paragraph" | "code" | "html";
  /** 1 to 6 for a heading, else 0. */
  readonly depth: number;
  /** Inside a quote or a list. */
  readonly nested: boolean;
  /** False inside a comment or an HTML element that hides its content. */
  readonly visible: boolean;
  readonly text: string;
}

/** Texts that are kept read: a claim asks four times about one artifact. */
const KEPT = 4;
const kept: { readonly text: string; readonly blocks: readonly MarkdownBlock[] }[] = [];

/**
 * Reads the blocks of a Markdown text without its front matter. The same text gives the same list again, without being
 * read again, as long as it is one of the last few.
 */
export function readMarkdown(text: string): readonly MarkdownBlock[] {
  const known = kept.find((candidate) => candidate.text === text);
  if (known !== undefined) return known.blocks;
  const blocks = readBlocks(text);
  kept.push({ text, blocks });
  if (kept.length > KEPT) kept.shift();
  return blocks;
}

function readBlocks(text: string): readonly MarkdownBlock[] {
  const { blocks, labels } = scanBlocks(splitFrontMatter(text)?.body ?? text);
  const html = createHtmlVisibility();
  return blocks.map(({ source, ...block }): MarkdownBlock => {
    const visible = html.visible();
    switch (block.type) {
      case "heading":
      case "paragraph":
        return { ...block, visible, text: keepVisible(inlineText(source, { labels, html })).trim() };
      case "code":
        return { ...block, visible, text: visible ? keepVisible(source).trim() : "" };
      case "html":
        return { ...block, visible, text: keepVisible(html.read(source)).trim() };
    }
  });
}
