import { decodeReferences } from "./visible-characters.ts";

/** Follows the HTML of a Markdown text and keeps the text a browser would show. */
export interface HtmlVisibility {
  /** False inside a comment, a hidden element or an attribute that never ends. */
  readonly visible: () => boolean;
  /** Reads raw HTML: a block, or a tag or comment within a line. Returns the text it shows. */
  readonly read: (html: string) => string;
}

/** Elements whose content is not drawn. */
const UNDRAWN = new Set(
  [
    "script style template title head noscript noembed noframes iframe object",
    "audio video canvas datalist map svg math dialog",
  ].flatMap((names) => names.split(" ")),
);
/** Elements whose content is text up to their end tag, whatever it looks like. */
const RAW_TEXT = new Set("script style title iframe noembed noframes noscript textarea xmp".split(" "));
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));

/** An unfinished tag. It may continue in a later block. */
interface OpenTag {
  readonly name: string;
  readonly closing: boolean;
  hides: boolean;
  /** The quote of the attribute value the tag was in when its block ended. */
  quote: string;
}

/** Creates the state for one Markdown text. Every character is looked at a bounded number of times. */
export function createHtmlVisibility(): HtmlVisibility {
  return new HtmlReader();
}

const TAG_START = /<(\/?)([A-Za-z][^\s/>]*)/y;
/** The end of a tag, a slash or space, or an attribute with the quote its value begins with. */
const ATTRIBUTE = /[\s/]+|>|([^\s/>=]+|=[^\s/>=]*)(?:\s*=\s*(?:(["'])|[^\s"'>][^\s>]*)?)?/y;

class HtmlReader implements HtmlVisibility {
  #inComment = false;
  #tag: OpenTag | undefined;
  /** The element that hides, and how many of its name are open within. */
  #hiding: string | undefined;
  #depth = 0;
  #html = "";
  #at = 0;
  #shown = "";

  readonly visible = (): boolean => !this.#inComment && this.#tag === undefined && this.#hiding === undefined;

  readonly read = (html: string): string => {
    this.#html = html;
    this.#at = 0;
    this.#shown = "";
    if (this.#tag !== undefined) this.#readTag(this.#tag);
    while (this.#at < html.length) {
      if (this.#inComment) this.#readComment();
      else this.#readText();
    }
    // A tag that is cut off outside of a quote ends with the next tag that is written, so its text is still shown.
    if (this.#tag?.quote === "") this.#close(this.#tag);
    return this.#shown;
  };

  #readComment(): void {
    const end = this.#html.indexOf("-->", this.#at);
    this.#inComment = end === -1;
    this.#at = end === -1 ? this.#html.length : end + 3;
  }

  /** Reads up to the next piece of markup, and the beginning of that. */
  #readText(): void {
    const html = this.#html;
    if (this.#hiding !== undefined && RAW_TEXT.has(this.#hiding)) {
      const end = new RegExp(`</${this.#hiding}(?=[\\s/>])`, "gi");
      end.lastIndex = this.#at;
      this.#at = end.exec(html)?.index ?? html.length;
    }
    const found = html.indexOf("<", this.#at);
    const next = found === -1 ? html.length : found;
    this.#show(html.slice(this.#at, next));
    this.#at = next;
    if (next < html.length) this.#readMarkup();
  }

  #readMarkup(): void {
    const html = this.#html;
    const from = this.#at;
    const second = html[from + 1] ?? "";
    TAG_START.lastIndex = from;
    const start = TAG_START.exec(html);
    if (html.startsWith("<!--", from)) {
      this.#inComment = true;
      // "<!-->" is a whole comment to a browser.
      this.#at = html.startsWith("-->", from + 2) ? from + 2 : from + 4;
    } else if (second === "!" || second === "?") {
      const end = html.indexOf(">", from);
      this.#at = end === -1 ? html.length : end + 1;
    } else if (start === null) {
      this.#show("<");
      this.#at = from + 1;
    } else {
      const tag = { name: (start[2] ?? "").toLowerCase(), closing: start[1] === "/", hides: false, quote: "" };
      this.#tag = tag;
      this.#at = TAG_START.lastIndex;
      this.#readTag(tag);
    }
  }

  /** Reads a tag from behind its name, or from within an attribute value. */
  #readTag(tag: OpenTag): void {
    const html = this.#html;
    if (tag.quote !== "" && !this.#readQuoted(tag)) return;
    ATTRIBUTE.lastIndex = this.#at;
    for (let match = ATTRIBUTE.exec(html); match !== null; match = ATTRIBUTE.exec(html)) {
      this.#at = ATTRIBUTE.lastIndex;
      const [whole, name, quote] = match;
      if (whole === ">") {
        this.#close(tag);
        return;
      }
      if (name !== undefined && /^(?:hidden|style)$/i.test(name)) tag.hides = true;
      if (quote === undefined) continue;
      tag.quote = quote;
      if (!this.#readQuoted(tag)) return;
      ATTRIBUTE.lastIndex = this.#at;
    }
    this.#at = html.length;
  }

  /** Reads the rest of an attribute value; false if it does not end here. */
  #readQuoted(tag: OpenTag): boolean {
    const end = this.#html.indexOf(tag.quote, this.#at);
    this.#at = end === -1 ? this.#html.length : end + 1;
    if (end !== -1) tag.quote = "";
    return end !== -1;
  }

  #close({ name, closing, hides }: OpenTag): void {
    this.#tag = undefined;
    if (this.#hiding === undefined) {
      if (closing || VOID.has(name) || !(hides || UNDRAWN.has(name))) return;
      this.#hiding = name;
      this.#depth = 1;
    } else if (name === this.#hiding) {
      this.#depth += closing ? -1 : 1;
      if (this.#depth === 0) this.#hiding = undefined;
    }
  }

  #show(text: string): void {
    if (this.#hiding === undefined) this.#shown += decodeReferences(text);
  }
}
