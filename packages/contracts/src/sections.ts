import { fromMarkdown } from "mdast-util-from-markdown";
import { toString } from "mdast-util-to-string";
import { splitFrontMatter } from "./parse-contract.ts";
import { sectionTitle } from "./render-contract-prompt.ts";

/** A part of a Markdown text: a heading and what stands below it, up to the next heading of the same or a higher level. */
export interface Section {
  /** The heading, normalised: `Open-Questions` is `open_questions`. */
  readonly key: string;
  readonly heading: string;
  readonly depth: number;
  /** What a reader sees below the heading, sub-sections included. */
  readonly text: string;
}

/** A required section that is not there or says nothing, and what was found instead. */
export interface MissingSection {
  readonly section: string;
  readonly why: "absent" | "empty";
  /** The heading that comes nearest. */
  readonly found?: string;
}

type Root = ReturnType<typeof fromMarkdown>;
type Block = Root["children"][number];

/** Reads a Markdown text without its front matter. */
export function readMarkdown(text: string): Root {
  return fromMarkdown(splitFrontMatter(text)?.body ?? text);
}

/** The sections of a text. Headings inside code fences, comments, quotes and front matter are no headings. */
export function readSections(text: string): readonly Section[] {
  const blocks = readMarkdown(text).children;
  return blocks.flatMap((block, index): Section[] => {
    if (block.type !== "heading") return [];
    const end = blocks.findIndex((later, place) => place > index && later.type === "heading" && later.depth <= block.depth);
    const below = blocks.slice(index + 1, end === -1 ? undefined : end);
    const heading = toString(block).trim();
    return [{ key: sectionKey(heading), heading, depth: block.depth, text: below.map(visibleText).join("\n").trim() }];
  });
}

/** A heading as a section key: lower case; spaces and hyphens are underscores; numbering and punctuation are dropped. */
export function sectionKey(heading: string): string {
  return heading
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^\s*(?:\d+[.)]\s*)+/, "")
    .replace(/[^\p{L}\p{N}\s\-–—_]/gu, "")
    .replace(/[\s\-–—_]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** Other headings that count as a section, by the section. */
export interface SectionOptions {
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The required sections a text lacks, and what was found instead. A heading must be the section's name or one of its
 * declared aliases, exactly after normalising: a substring is not enough.
 */
export function findMissingSections(text: string, required: readonly string[], { aliases = {} }: SectionOptions = {}): readonly MissingSection[] {
  if (required.length === 0) return [];
  const sections = readSections(text);
  return required.flatMap((section): MissingSection[] => {
    if (headingsOf(section, sections, aliases).length > 0) return [];
    const found = nearest(section, sections);
    return [{ section, why: "absent", ...(found !== undefined && { found }) }];
  });
}

/** The required sections whose heading is there with nothing below it that a reader could see. */
export function findEmptySections(text: string, required: readonly string[], { aliases = {} }: SectionOptions = {}): readonly MissingSection[] {
  if (required.length === 0) return [];
  const sections = readSections(text);
  return required.flatMap((section): MissingSection[] => {
    const [first, ...others] = headingsOf(section, sections, aliases);
    return first === undefined || [first, ...others].some((found) => found.text !== "") ? [] : [{ section, why: "empty", found: first.heading }];
  });
}

function headingsOf(section: string, sections: readonly Section[], aliases: Readonly<Record<string, readonly string[]>>): readonly Section[] {
  const names = new Set([section, ...(Object.hasOwn(aliases, section) ? (aliases[section] ?? []) : [])]);
  return sections.filter(({ key }) => names.has(key));
}

/** Missing sections as text for the agent. */
export function renderMissingSections(missing: readonly MissingSection[]): readonly string[] {
  return missing.map(({ section, why, found }) =>
    why === "empty"
      ? `The section "${sectionTitle(section)}" has no text below its heading.`
      : `The section "${sectionTitle(section)}" is missing${found === undefined ? "" : `; found "${found.slice(0, 80)}" instead`}. Add the heading "## ${sectionTitle(section)}".`,
  );
}

function nearest(section: string, sections: readonly Section[]): string | undefined {
  const words = section.split("_");
  const shared = ({ key }: Section): number => words.filter((word) => key.split("_").includes(word)).length;
  const best = sections.toSorted((one, other) => shared(other) - shared(one))[0];
  return best !== undefined && shared(best) > 0 ? best.heading : undefined;
}

/** What a reader sees of a block; comments and bare headings are nothing. */
function visibleText(block: Block): string {
  switch (block.type) {
    case "html":
      return block.value.replace(/<!--[\s\S]*?(?:-->|$)/g, "").replace(/<[^>]*>/g, "").trim();
    case "heading":
    case "thematicBreak":
    case "definition":
      return "";
    default:
      return toString(block, { includeHtml: false });
  }
}
