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
  let inComment = false;
  let tag: OpenTag | undefined;
  // The element that hides, and how many of its name are open within.
  let hiding: string | undefined;
  let depth = 0;

  const apply = ({ name, closing, hides }: OpenTag): void => {
    if (hiding === undefined) {
      if (closing || VOID.has(name) || !(hides || UNDRAWN.has(name))) return;
      hiding = name;
      depth = 1;
    } else if (name === hiding) {
      depth += closing ? -1 : 1;
      if (depth === 0) hiding = undefined;
    }
  };

  /** Reads a tag from `from`, which is behind its name or in an attribute value; returns where it ends. */
  const readTag = (html: string, from: number, open: OpenTag): number => {
    let at = from;
    if (open.quote !== "") {
      const end = html.indexOf(open.quote, at);
      if (end === -1) return html.length;
      open.quote = "";
      at = end + 1;
    }
    ATTRIBUTE.lastIndex = at;
    for (let match = ATTRIBUTE.exec(html); match !== null; match = ATTRIBUTE.exec(html)) {
      const [whole, name, quote] = match;
      if (whole === ">") {
        tag = undefined;
        apply(open);
        return ATTRIBUTE.lastIndex;
      }
      if (name === undefined) continue;
      if (/^(?:hidden|style)$/i.test(name)) open.hides = true;
      if (quote === undefined) continue;
      const end = html.indexOf(quote, ATTRIBUTE.lastIndex);
      if (end === -1) {
        open.quote = quote;
        return html.length;
      }
      ATTRIBUTE.lastIndex = end + 1;
    }
    return html.length;
  };

  const read = (html: string): string => {
    let shown = "";
    let at = 0;
    const show = (text: string): void => {
      if (hiding === undefined) shown += decodeReferences(text);
    };
    if (tag !== undefined) at = readTag(html, 0, tag);
    while (at < html.length) {
      if (inComment) {
        const end = html.indexOf("-->", at);
        if (end === -1) return shown;
        inComment = false;
        at = end + 3;
        continue;
      }
      if (hiding !== undefined && RAW_TEXT.has(hiding)) {
        const end = new RegExp(`</${hiding}(?=[\\s/>])`, "gi");
        end.lastIndex = at;
        const found = end.exec(html);
        if (found === null) return shown;
        at = found.index;
      }
      const next = html.indexOf("<", at);
      show(html.slice(at, next === -1 ? html.length : next));
      if (next === -1) break;
      if (html.startsWith("<!--", next)) {
        inComment = true;
        // "<!-->" is a whole comment to a browser.
        at = next + 2;
        if (html.startsWith("-->", at)) continue;
        at = next + 4;
        continue;
      }
      const second = html[next + 1] ?? "";
      if (second === "!" || second === "?") {
        const end = html.indexOf(">", next);
        at = end === -1 ? html.length : end + 1;
        continue;
      }
      TAG_START.lastIndex = next;
      const start = TAG_START.exec(html);
      if (start === null) {
        show("<");
        at = next + 1;
        continue;
      }
      tag = { name: (start[2] ?? "").toLowerCase(), closing: start[1] === "/", hides: false, quote: "" };
      at = readTag(html, TAG_START.lastIndex, tag);
    }
    // A tag that is cut off outside of a quote ends with the next tag that is written, so its text is still shown.
    if (tag?.quote === "") {
      apply(tag);
      tag = undefined;
    }
    return shown;
  };

  return { visible: () => !inComment && tag === undefined && hiding === undefined, read };
}

const TAG_START = /<(\/?)([A-Za-z][^\s/>]*)/y;
/** The end of a tag, a slash or space, or an attribute with the quote its value begins with. */
const ATTRIBUTE = /[\s/]+|>|([^\s/>=]+|=[^\s/>=]*)(?:\s*=\s*(?:(["'])|[^\s"'>][^\s>]*)?)?/y;
