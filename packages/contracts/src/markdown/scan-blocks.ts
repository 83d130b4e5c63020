import { createTagFinder } from "./html-tag.ts";

/** A leaf block as it is written; quotes and lists only show in `nested`. */
interface SourceBlock {
  readonly type: "heading" | "paragraph" | "code" | "html";
  /** 1 to 6 for a heading, else 0. */
  readonly depth: number;
  /** Inside a quote or a list. */
  readonly nested: boolean;
  readonly source: string;
}

/** The leaf blocks of a text, and the labels its link definitions define. */
export interface ScannedBlocks {
  readonly blocks: readonly SourceBlock[];
  readonly labels: ReadonlySet<string>;
}

/** Quotes and lists nest this deep; what is written deeper is read as their text. Bounds the work for each line. */
const MAX_NESTING = 64;

type Container =
  | { readonly kind: "quote" }
  /** `empty` until the item has something in it. */
  | { readonly kind: "item"; readonly indent: number; empty: boolean };

type Leaf =
  | { readonly kind: "paragraph" | "indented"; readonly lines: string[] }
  | { readonly kind: "fence"; readonly lines: string[]; readonly mark: string; readonly length: number }
  | { readonly kind: "html"; readonly lines: string[]; readonly end: RegExp | "blank" };

const HTML_BLOCKS: readonly { readonly start: RegExp; readonly end: RegExp }[] = [
  { start: /<(?:script|pre|style|textarea)(?=\s|>|$)/iy, end: /<\/(?:script|pre|style|textarea)>/i },
  { start: /<!--/y, end: /-->/ },
  { start: /<\?/y, end: /\?>/ },
  { start: /<![A-Za-z]/y, end: />/ },
  { start: /<!\[CDATA\[/y, end: /\]\]>/ },
];
const BLOCK_ELEMENTS = [
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt",
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu",
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr",
  "track|ul",
].join("|");
const HTML_ELEMENT = new RegExp(String.raw`<\/?(?:${BLOCK_ELEMENTS})(?=\s|\/?>|$)`, "iy");
const FENCE = /`{3,}|~{3,}/y;
const HEADING = /#{1,6}(?= |$)/y;
const MARKER = /(?:[-+*]|[0-9]{1,9}[.)])(?= |$)/y;

/**
 * Reads the block structure of CommonMark: headings, paragraphs, code and HTML, through quotes and lists. One pass over
 * the lines; each costs its own length and at most `MAX_NESTING` steps more, whatever the text is.
 */
export function scanBlocks(text: string): ScannedBlocks {
  const blocks: SourceBlock[] = [];
  const labels = new Set<string>();
  const containers: Container[] = [];
  let leaf: Leaf | undefined;

  const emit = (type: SourceBlock["type"], source: string, depth = 0): void =>
    void blocks.push({ type, depth, nested: containers.length > 0, source });
  const closeLeaf = (): void => {
    if (leaf?.kind === "paragraph") {
      const source = withoutDefinitions(leaf.lines.join("\n"), labels);
      if (source !== "") emit("paragraph", source);
    } else if (leaf !== undefined) {
      const source = leaf.lines.join("\n");
      if (source.trim() !== "") emit(leaf.kind === "html" ? "html" : "code", source);
    }
    leaf = undefined;
  };

  const readLine = (line: string): void => {
    let end = line.length;
    while (line[end - 1] === " ") end -= 1;
    let at = 0;
    let next = 0;
    /** Index of the first character from `at` on that is not a space. */
    const skipSpaces = (): number => {
      if (next < at) next = at;
      while (next < end && line[next] === " ") next += 1;
      return next - at;
    };
    let matched = 0;
    for (const container of containers) {
      const indent = skipSpaces();
      const blank = next >= end;
      if (container.kind === "quote") {
        if (blank || indent > 3 || line[next] !== ">") break;
        at = next + 1;
        if (line[at] === " ") at += 1;
      } else if (blank) {
        if (container.empty) break;
      } else if (indent >= container.indent) {
        at += container.indent;
        container.empty = false;
      } else break;
      matched += 1;
    }
    let pending = matched < containers.length;
    const inParagraph = (): boolean => leaf?.kind === "paragraph";
    /** Closes what the line does not belong to any more. */
    const settle = (): void => {
      if (pending) closeLeaf();
      if (pending) containers.length = matched;
      pending = false;
    };

    if (!pending && leaf !== undefined && leaf.kind !== "paragraph") {
      if (continueLeaf(leaf, line, { at, indent: skipSpaces(), next, end })) {
        if (leafEnds(leaf, line, { at, indent: next - at, next, end })) closeLeaf();
        return;
      }
      closeLeaf();
    } else if (pending && !inParagraph()) settle();

    const isBreak = thematicBreaks(line, end);
    for (;;) {
      const indent = skipSpaces();
      if (next >= end) break;
      if (indent >= 4) {
        if (inParagraph()) break;
        settle();
        leaf = { kind: "indented", lines: [line.slice(at + 4)] };
        return;
      }
      const mark = line[next] ?? "";
      if (mark === ">" && containers.length < MAX_NESTING) {
        settle();
        closeLeaf();
        containers.push({ kind: "quote" });
        at = next + 1;
        if (line[at] === " ") at += 1;
        continue;
      }
      if (mark === "#" && matchAt(HEADING, line, next) !== undefined) {
        settle();
        closeLeaf();
        const depth = HEADING.lastIndex - next;
        emit("heading", closingHashesDropped(line.slice(HEADING.lastIndex, end).trim()), depth);
        return;
      }
      if (mark === "`" || mark === "~") {
        const fence = matchAt(FENCE, line, next);
        if (fence !== undefined && (mark === "~" || line.indexOf("`", next + fence.length) === -1)) {
          settle();
          closeLeaf();
          leaf = { kind: "fence", lines: [], mark, length: fence.length };
          return;
        }
      }
      if (mark === "<") {
        const ending = htmlBlockEnd(line, { next, end, interrupts: inParagraph() });
        if (ending !== undefined) {
          settle();
          closeLeaf();
          leaf = { kind: "html", lines: [line.slice(at)], end: ending };
          if (ending !== "blank" && ending.test(line.slice(next))) closeLeaf();
          return;
        }
      }
      if (
        (mark === "=" || mark === "-") &&
        inParagraph() &&
        !pending &&
        leaf !== undefined &&
        isUnderline(line, next, end)
      ) {
        const source = withoutDefinitions(leaf.lines.join("\n"), labels);
        if (source !== "") {
          leaf = undefined;
          emit("heading", source, mark === "=" ? 1 : 2);
          return;
        }
        // Nothing but definitions: what follows is a text of its own.
        leaf = undefined;
      }
      if (isBreak(next)) {
        settle();
        closeLeaf();
        return;
      }
      const marker = containers.length < MAX_NESTING ? matchAt(MARKER, line, next) : undefined;
      if (marker !== undefined) {
        const after = next + marker.length;
        const blank = after >= end;
        const interrupts = inParagraph() && !pending;
        if (interrupts && (blank || (marker.length > 1 && Number.parseInt(marker, 10) !== 1))) break;
        settle();
        closeLeaf();
        const from = at;
        at = after;
        const spaces = blank ? 0 : skipSpaces();
        at = after + (spaces >= 1 && spaces <= 4 ? spaces : blank ? 0 : 1);
        containers.push({ kind: "item", indent: blank ? after + 1 - from : at - from, empty: blank });
        continue;
      }
      break;
    }

    if (next >= end) {
      settle();
      closeLeaf();
    } else if (leaf?.kind === "paragraph") {
      // A line that continues a paragraph may leave out the marks of its quotes and lists.
      leaf.lines.push(line.slice(next, end));
    } else {
      settle();
      leaf = { kind: "paragraph", lines: [line.slice(next, end)] };
    }
  };

  for (const line of text.split(/\r\n|\r|\n/)) readLine(line.includes("\t") ? expandTabs(line) : line);
  closeLeaf();
  return { blocks, labels };
}

interface Place {
  readonly at: number;
  readonly indent: number;
  readonly next: number;
  readonly end: number;
}

/** Adds the line to a block that is not a paragraph; false when the block has ended before it. */
function continueLeaf(leaf: Leaf, line: string, place: Place): boolean {
  const { at, indent, next, end } = place;
  const blank = next >= end;
  switch (leaf.kind) {
    case "fence":
      if (!leafEnds(leaf, line, place)) leaf.lines.push(line.slice(at));
      return true;
    case "html":
      if (leaf.end === "blank" && blank) return false;
      leaf.lines.push(line.slice(at));
      return true;
    case "indented":
      if (!blank && indent < 4) return false;
      leaf.lines.push(line.slice(at + 4));
      return true;
    case "paragraph":
      return false;
  }
}

/** True if this line is the last of its block. */
function leafEnds(leaf: Leaf, line: string, { at, indent, next, end }: Place): boolean {
  if (leaf.kind === "html") return leaf.end !== "blank" && leaf.end.test(line.slice(at));
  if (leaf.kind !== "fence" || indent > 3 || line[next] !== leaf.mark || end - next < leaf.length) return false;
  for (let index = next; index < end; index += 1) if (line[index] !== leaf.mark) return false;
  return true;
}

function htmlBlockEnd(
  line: string,
  { next, end, interrupts }: { readonly next: number; readonly end: number; readonly interrupts: boolean },
): RegExp | "blank" | undefined {
  const known = HTML_BLOCKS.find(({ start }) => matchAt(start, line, next) !== undefined);
  if (known !== undefined) return known.end;
  if (matchAt(HTML_ELEMENT, line, next) !== undefined) return "blank";
  if (interrupts || !/[A-Za-z/]/.test(line[next + 1] ?? "")) return undefined;
  // Any other tag, alone on its line.
  return createTagFinder(line).endOf(next) === end ? "blank" : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function isUnderline(line: string, next: number, end: number): boolean {
  for (let index = next + 1; index < end; index += 1) if (line[index] !== line[next]) return false;
  return true;
}

/** Tells where the rest of a line is a thematic break: three or more of one mark and spaces. Looks at the line once. */
function thematicBreaks(line: string, end: number): (from: number) => boolean {
  const mark = line[end - 1] ?? "";
  if (mark !== "*" && mark !== "-" && mark !== "_") return () => false;
  let start = end;
  let count = 0;
  let third = -1;
  while (start > 0 && (line[start - 1] === mark || line[start - 1] === " ")) {
    start -= 1;
    if (line[start] === mark && ++count === 3) third = start;
  }
  return (from) => from >= start && from <= third;
}

function closingHashesDropped(text: string): string {
  let from = text.length;
  while (from > 0 && text[from - 1] === "#") from -= 1;
  return from === 0 || text[from - 1] === " " ? text.slice(0, from).trimEnd() : text;
}

function expandTabs(line: string): string {
  let expanded = "";
  for (const part of line.split("\t")) {
    expanded += part;
    expanded += " ".repeat(4 - (expanded.length % 4));
  }
  return expanded;
}

const LABEL = /\[(?:[^\\[\]]|\\[\s\S]){1,999}\]:/y;
// Each repetition has one way to match, so a search that fails does not go back and forth.
const DESTINATION = /[^\S\n]*(?:\n[^\S\n]*)?(?:<[^\\<>\n]*(?:\\.[^\\<>\n]*)*>|[^\s<]\S*)/y;
const QUOTED_TITLES = [
  String.raw`"[^\\"]*(?:\\[\s\S][^\\"]*)*"`,
  String.raw`'[^\\']*(?:\\[\s\S][^\\']*)*'`,
  String.raw`\([^\\()]*(?:\\[\s\S][^\\()]*)*\)`,
].join("|");
const TITLE = new RegExp(String.raw`(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)(?:${QUOTED_TITLES})[^\S\n]*(?=\n|$)`, "y");
const LINE_END = /[^\S\n]*(?=\n|$)/y;

/** Takes the link definitions off the beginning of a paragraph: a reader does not see them. */
function withoutDefinitions(source: string, labels: Set<string>): string {
  let at = 0;
  while (source[at] === "[") {
    const label = matchAt(LABEL, source, at);
    if (label === undefined || label.slice(1, -2).trim() === "") break;
    if (!isBalanced(matchAt(DESTINATION, source, at + label.length) ?? "(")) break;
    const afterDestination = DESTINATION.lastIndex;
    if (matchAt(TITLE, source, afterDestination) !== undefined) at = TITLE.lastIndex;
    else if (matchAt(LINE_END, source, afterDestination) !== undefined) at = LINE_END.lastIndex;
    else break;
    labels.add(labelKey(label.slice(1, -2)));
    if (source[at] === "\n") at += 1;
  }
  return at === 0 ? source : source.slice(at);
}

/** An address with a parenthesis that is not closed does not define anything, unless it is in angle brackets. */
function isBalanced(address: string): boolean {
  if (!/[()]/.test(address) || address.trimStart().startsWith("<")) return true;
  let depth = 0;
  for (let index = 0; index < address.length && depth >= 0; index += 1) {
    if (address[index] === "\\") index += 1;
    else if (address[index] === "(") depth += 1;
    else if (address[index] === ")") depth -= 1;
  }
  return depth === 0;
}

/** A label as definitions and references compare it. */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}
