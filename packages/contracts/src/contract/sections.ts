import { ownValue } from "@phasekit/core/adapter";
import { type MarkdownBlock, readMarkdown } from "../markdown/read-markdown.ts";
import { sectionTitle } from "./render-contract-prompt.ts";

/** A Markdown heading and the text below it, up to the next heading of the same or a higher level. */
export interface Section {
  /** The normalized heading: `Open-Questions` is `open_questions`. */
  readonly key: string;
  readonly heading: string;
  readonly depth: number;
  /** The visible text below the heading, including sub-sections. */
  readonly text: string;
}

/** A required section that is absent or empty, and the closest match. */
export interface MissingSection {
  readonly section: string;
  readonly why: "absent" | "empty";
  /** The closest heading. */
  readonly found?: string;
}

const read = new WeakMap<readonly MarkdownBlock[], readonly Section[]>();

/**
 * Returns the sections of a text. Headings inside code fences, comments, quotes, front matter and hidden HTML do not
 * count. The text of a section is what a reader sees: see `docs/contracts.md`.
 */
export function readSections(text: string): readonly Section[] {
  const blocks = readMarkdown(text);
  const known = read.get(blocks);
  if (known !== undefined) return known;
  const sections = toSections(blocks);
  read.set(blocks, sections);
  return sections;
}

/** Splits the blocks at their headings. The text is joined once, and every section is a slice of it. */
function toSections(blocks: readonly MarkdownBlock[]): readonly Section[] {
  const starts: number[] = [];
  let length = 0;
  const below = blocks.map(({ type, text }) => {
    starts.push(length);
    const line = type === "heading" || text === "" ? "" : `${text}\n`;
    length += line.length;
    return line;
  });
  const body = below.join("");
  const sections: Section[] = [];
  // From the end: the next heading of each depth, or the end of the text.
  const ends = Array.from({ length: 7 }, () => length);
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block?.type !== "heading" || block.nested || !block.visible) continue;
    const { depth, text: heading } = block;
    const start = starts[index] ?? 0;
    let end = length;
    for (let level = 1; level <= depth; level += 1) end = Math.min(end, ends[level] ?? length);
    const text = body.slice(start, end).trim();
    sections.push({ key: sectionKey(heading), heading, depth, text });
    ends[depth] = start;
  }
  return sections.toReversed();
}

/** Converts a heading to a key: lower case, underscores for spaces and hyphens, no numbering or punctuation. */
export function sectionKey(heading: string): string {
  return heading
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^\s*(?:\d+[.)]\s*)+/, "")
    .replace(/[^\p{L}\p{N}\s\-–—_]/gu, "")
    .replace(/[\s\-–—_]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** Which headings count as a section. */
export interface SectionOptions {
  /** Other names, by section. @default none */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** `substring`: "## Problem" counts as problem_statement, and so does "## The Problem Statement". @default "exact" */
  readonly match?: "exact" | "substring";
}

/**
 * Finds required sections that a text lacks, with the closest heading. By default a normalized heading must equal the
 * section's name or a declared alias.
 */
export function findMissingSections(
  text: string,
  required: readonly string[],
  options: SectionOptions = {},
): readonly MissingSection[] {
  if (required.length === 0) return [];
  const sections = readSections(text);
  return required.flatMap((section): MissingSection[] => {
    if (headingsOf(section, sections, options).length > 0) return [];
    const found = nearest(section, sections);
    return [{ section, why: "absent", ...(found !== undefined && { found }) }];
  });
}

/** Finds required sections that have a heading but no visible text. */
export function findEmptySections(
  text: string,
  required: readonly string[],
  options: SectionOptions = {},
): readonly MissingSection[] {
  if (required.length === 0) return [];
  const sections = readSections(text);
  return required.flatMap((section): MissingSection[] => {
    const [first, ...others] = headingsOf(section, sections, options);
    return first === undefined || [first, ...others].some((found) => found.text !== "")
      ? []
      : [{ section, why: "empty", found: first.heading }];
  });
}

function headingsOf(
  section: string,
  sections: readonly Section[],
  { aliases = {}, match = "exact" }: SectionOptions,
): readonly Section[] {
  const names = [section, ...(ownValue(aliases, section) ?? [])];
  return sections.filter(({ key }) =>
    match === "exact"
      ? names.includes(key)
      : key !== "" && names.some((name) => name.includes(key) || key.includes(name)),
  );
}

/** Renders missing sections as texts for the agent. */
export function renderMissingSections(missing: readonly MissingSection[]): readonly string[] {
  return missing.map(({ section, why, found }) => {
    const title = sectionTitle(section);
    if (why === "empty") return `The section "${title}" has no visible text below its heading.`;
    const instead = found === undefined ? "" : `; found "${found.slice(0, 80)}" instead`;
    return `The section "${title}" is missing${instead}. Add the heading "## ${title}".`;
  });
}

function nearest(section: string, sections: readonly Section[]): string | undefined {
  const words = new Set(section.split("_"));
  let best: { readonly heading: string; readonly shared: number } | undefined;
  for (const { key, heading } of sections) {
    const shared = new Set(key.split("_").filter((word) => words.has(word))).size;
    if (shared > (best?.shared ?? 0)) best = { heading, shared };
  }
  return best?.heading;
}
