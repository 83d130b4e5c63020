import { toString } from "mdast-util-to-string";
import { readMarkdown } from "../sections.ts";

interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[];
}

/** The sentences of a Markdown text as a reader sees them: without code fences, comments and front matter. */
export function sentencesOf(text: string): readonly string[] {
  const found: string[] = [];
  const walk = (node: MarkdownNode): void => {
    if (node.type === "paragraph" || node.type === "heading") {
      found.push(...toString(node).replace(/\s+/g, " ").split(/(?<=[.!?;:])\s+/));
      return;
    }
    if (node.type !== "code" && node.type !== "html") node.children?.forEach(walk);
  };
  walk(readMarkdown(text));
  return found;
}

// Words that may stand between "no" and what is denied: anything else means that something else is denied.
const CHANGE = String.raw`(?:chang\w*|touch\w*|affect\w*|alter\w*|modif\w*|involv\w*|introduc\w*|impact\w*|add\w*)`;
const FILLER = String.raw`(?:the|a|an|any|our|its|of|to|in|on|or|and|nor|for|new|existing|other|further|public|user|database|db|api|effects?|updates?|work)`;
const NO = String.raw`(?:no|not|never|neither|nor|cannot|\w+n['’]t)(?!\s+(?:only|just|yet|forget|ignore|overlook))`;

/**
 * The first sentence that speaks of one of these words, as a whole word, singular or plural. "No changes to
 * authentication" and "the schema is unchanged" do not count; "not only authentication" does.
 */
export function findMention(sentences: readonly string[], words: readonly string[]): string | undefined {
  const any = `(?:${words.map((word) => word.replaceAll(" ", String.raw`[\s-]`)).join("|")})`;
  const mention = new RegExp(String.raw`(?<![\w-])${any}(?:s|es)?(?![\w])`, "gi");
  const deniedBefore = new RegExp(String.raw`(?:(?<![\w-])${NO}|without\s+${CHANGE})(?:[\s,]+(?:${CHANGE}|${FILLER}|${any}s?)){0,6}[\s,]*$`, "i");
  const deniedAfter = /^(?:[\s,]+[\w-]+){0,3}[\s,]+(?:unchanged|unaffected|untouched|out of scope|not (?:be )?(?:affected|changed|touched|modified|altered|involved))\b/i;
  for (const sentence of sentences) {
    // Longer than any sentence a person writes: looked at in part, so that no text makes this slow.
    const part = sentence.slice(0, 2000);
    for (const match of part.matchAll(mention)) {
      const before = part.slice(Math.max(0, match.index - 120), match.index);
      const after = part.slice(match.index + match[0].length, match.index + match[0].length + 80);
      if (!deniedBefore.test(before) && !deniedAfter.test(after)) return part.trim();
    }
  }
  return undefined;
}
