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
  const scan = new BlockScan();
  for (const line of text.split(/\r\n|\r|\n/)) scan.readLine(line.includes("\t") ? expandTabs(line) : line);
  return scan.end();
}

/** The blocks so far, and the place in the line that is read. */
class BlockScan {
  readonly #blocks: SourceBlock[] = [];
  readonly #labels = new Set<string>();
  readonly #containers: Container[] = [];
  #leaf: Leaf | undefined;
  /** Index behind the last character that is not a space. */
  #end = 0;
  /** Index of the first character that was not read. */
  #at = 0;
  /** Index of the first character from there on that is not a space. */
  #next = 0;
  /** The containers that the line continues or opens. The others stay open if it continues a paragraph. */
  #matched = 0;

  end(): ScannedBlocks {
    this.#closeLeaf();
    return { blocks: this.#blocks, labels: this.#labels };
  }

  readLine(line: string): void {
    this.#end = line.length;
    while (line[this.#end - 1] === " ") this.#end -= 1;
    this.#at = 0;
    this.#next = 0;
    this.#matchContainers(line);
    if (this.#continuesLeaf(line) || this.#opensBlock(line)) return;
    const text = line.slice(this.#next, this.#end);
    if (text === "") this.#begin();
    // A line that continues a paragraph may leave out the marks of its quotes and lists.
    else if (this.#leaf?.kind === "paragraph") this.#leaf.lines.push(text);
    else {
      this.#settle();
      this.#leaf = { kind: "paragraph", lines: [text] };
    }
  }

  #emit(type: SourceBlock["type"], source: string, depth = 0): void {
    this.#blocks.push({ type, depth, nested: this.#containers.length > 0, source });
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (leaf === undefined) return;
    const isText = leaf.kind === "paragraph";
    const text = leaf.lines.join("\n");
    const source = isText ? withoutDefinitions(text, this.#labels) : text;
    if (source.trim() !== "") this.#emit(isText || leaf.kind === "html" ? leaf.kind : "code", source);
  }

  /** Closes the containers that the line does not belong to any more. */
  #settle(): void {
    if (!this.#isPending()) return;
    this.#closeLeaf();
    this.#containers.length = this.#matched;
  }

  /** Closes what was open: something new begins. */
  #begin(leaf?: Leaf): void {
    this.#settle();
    this.#closeLeaf();
    this.#leaf = leaf;
  }

  #isPending(): boolean {
    return this.#matched < this.#containers.length;
  }

  #open(container: Container): void {
    this.#begin();
    this.#matched = this.#containers.push(container);
  }

  #inParagraph(): boolean {
    return this.#leaf?.kind === "paragraph";
  }

  /** Moves `next` on, and returns how many spaces are between. */
  #skipSpaces(line: string): number {
    if (this.#next < this.#at) this.#next = this.#at;
    while (this.#next < this.#end && line[this.#next] === " ") this.#next += 1;
    return this.#next - this.#at;
  }

  #matchContainers(line: string): void {
    this.#matched = 0;
    for (const container of this.#containers) {
      const indent = this.#skipSpaces(line);
      const blank = this.#next >= this.#end;
      if (container.kind === "quote") {
        if (blank || indent > 3 || line[this.#next] !== ">") break;
        this.#passQuoteMark(line);
      } else if (blank) {
        if (container.empty) break;
      } else if (indent >= container.indent) {
        this.#at += container.indent;
        container.empty = false;
      } else break;
      this.#matched += 1;
    }
  }

  #passQuoteMark(line: string): void {
    this.#at = this.#next + (line[this.#next + 1] === " " ? 2 : 1);
  }

  /** Adds the line to the code or HTML that is open. */
  #continuesLeaf(line: string): boolean {
    const leaf = this.#leaf;
    if (this.#isPending() || leaf === undefined || leaf.kind === "paragraph") {
      if (!this.#inParagraph()) this.#settle();
      return false;
    }
    const indent = this.#skipSpaces(line);
    const place = { at: this.#at, indent, next: this.#next, end: this.#end };
    const continues = continueLeaf(leaf, line, place);
    if (!continues || leafEnds(leaf, line, place)) this.#closeLeaf();
    return continues;
  }

  /** Opens the containers and the block that the line begins with; true if nothing of it is left to read. */
  #opensBlock(line: string): boolean {
    const isBreak = thematicBreaks(line, this.#end);
    for (;;) {
      const indent = this.#skipSpaces(line);
      if (this.#next >= this.#end) return false;
      if (indent >= 4) {
        if (this.#inParagraph()) return false;
        this.#begin({ kind: "indented", lines: [line.slice(this.#at + 4)] });
        return true;
      }
      const mark = line[this.#next] ?? "";
      if (mark === ">" && this.#containers.length < MAX_NESTING) {
        this.#open({ kind: "quote" });
        this.#passQuoteMark(line);
        continue;
      }
      if (
        this.#isHeading(line, mark) ||
        this.#opensFence(line, mark) ||
        this.#opensHtml(line, mark) ||
        this.#isUnderlined(line, mark)
      )
        return true;
      if (isBreak(this.#next)) {
        this.#begin();
        return true;
      }
      if (!this.#opensItem(line)) return false;
    }
  }

  #isHeading(line: string, mark: string): boolean {
    if (mark !== "#" || matchAt(HEADING, line, this.#next) === undefined) return false;
    this.#begin();
    const text = line.slice(HEADING.lastIndex, this.#end).trim();
    this.#emit("heading", closingHashesDropped(text), HEADING.lastIndex - this.#next);
    return true;
  }

  #opensFence(line: string, mark: string): boolean {
    const fence = mark === "`" || mark === "~" ? matchAt(FENCE, line, this.#next) : undefined;
    if (fence === undefined) return false;
    if (mark === "`" && line.includes("`", this.#next + fence.length)) return false;
    this.#begin({ kind: "fence", lines: [], mark, length: fence.length });
    return true;
  }

  #opensHtml(line: string, mark: string): boolean {
    if (mark !== "<") return false;
    const place = { next: this.#next, end: this.#end, interrupts: this.#inParagraph() };
    const end = htmlBlockEnd(line, place);
    if (end === undefined) return false;
    this.#begin({ kind: "html", lines: [line.slice(this.#at)], end });
    if (end !== "blank" && end.test(line.slice(this.#next))) this.#closeLeaf();
    return true;
  }

  /** The line below a heading of two lines. */
  #isUnderlined(line: string, mark: string): boolean {
    const leaf = this.#leaf;
    if ((mark !== "=" && mark !== "-") || this.#isPending() || leaf?.kind !== "paragraph") return false;
    if (!isUnderline(line, this.#next, this.#end)) return false;
    this.#leaf = undefined;
    const source = withoutDefinitions(leaf.lines.join("\n"), this.#labels);
    // Nothing but definitions: what follows is a text of its own.
    if (source === "") return false;
    this.#emit("heading", source, mark === "=" ? 1 : 2);
    return true;
  }

  #opensItem(line: string): boolean {
    const marker = this.#containers.length < MAX_NESTING ? matchAt(MARKER, line, this.#next) : undefined;
    if (marker === undefined) return false;
    const after = this.#next + marker.length;
    const blank = after >= this.#end;
    const interrupts = this.#inParagraph() && !this.#isPending();
    if (interrupts && (blank || (marker.length > 1 && Number.parseInt(marker, 10) !== 1))) return false;
    const from = this.#at;
    this.#at = after;
    const spaces = blank ? 0 : this.#skipSpaces(line);
    this.#at = after + (spaces >= 1 && spaces <= 4 ? spaces : blank ? 0 : 1);
    this.#open({ kind: "item", indent: blank ? after + 1 - from : this.#at - from, empty: blank });
    return true;
  }
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
