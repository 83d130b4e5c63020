import { fromMarkdown } from "mdast-util-from-markdown";
import { toString } from "mdast-util-to-string";
import { describe, expect, it } from "vitest";
import { hostileMarkdown } from "../__fixtures__/hostile-markdown.ts";
import { artifactOf, claimOf } from "../__fixtures__/pipeline.ts";
import { builtInTriggers } from "../contract/contract-schema.ts";
import { findMissingSections } from "../contract/sections.ts";
import { findEscalations } from "../triggers/escalation-triggers.ts";
import { readMarkdown } from "./read-markdown.ts";

const visible = (text: string): string =>
  readMarkdown(text)
    .map((block) => block.text)
    .join("\n")
    .trim();

describe("readMarkdown", () => {
  it.each([
    {
      name: "emphasis",
      text: "**No** _plan_ pass**word** snake_case 2 * 3",
      shows: "No plan password snake_case 2 * 3",
    },
    { name: "a link", text: '[the plan](https://x.test/a "title")', shows: "the plan" },
    { name: "a reference", text: "[the plan][a]\n\n[a]: https://x.test 'title'", shows: "the plan" },
    { name: "a reference nothing defines", text: "[the plan][a]", shows: "[the plan][a]" },
    { name: "an address", text: "<https://x.test>", shows: "https://x.test" },
    { name: "code", text: "`a <!-- b -->`\n\n```\n<!-- c -->\n```", shows: "a <!-- b -->\n<!-- c -->" },
    { name: "an escape", text: "\\<!-- a --> \\*b\\*", shows: "<!-- a --> *b*" },
    { name: "references to characters", text: "R&amp;D &#65;&#x42; &copy; &nosuch;", shows: "R&D AB © &nosuch;" },
    { name: "closed details", text: "<details><summary>More</summary>\n\nText\n\n</details>", shows: "More\nText" },
    { name: "an element that is not hidden", text: "<div class=x>Text</div>", shows: "Text" },
    { name: "what follows a hidden element", text: "<div hidden><div>a</div></div>\n\nText", shows: "Text" },
    { name: "< without a tag", text: "<div>\n1 < 2\n</div>", shows: "1 < 2" },
  ])("readMarkdown shows $name", ({ text, shows }) => expect(visible(text)).toBe(shows));

  it.each([
    ["a zero-width space", "\u200b"],
    ["&shy;", "&shy;"],
    ["&#8203;", "&#8203; &ZeroWidthSpace; &zwj; &NoBreak; &nbsp;"],
    ["Hangul fillers", "\u3164\u115f\u1160\uffa0"],
    ["tag characters", "\u{e0041}\u{e0042}\u{e007f}"],
    ["the Braille blank", "\u2800"],
    ["bidi marks and variation selectors", "\u202e\u2066\ufe0f\u{e0100}"],
    ["controls, private and unassigned characters", "\u0001\u009b\ue000\u{ffffe}"],
    ["blank lines", "\n\n \n\t\n"],
    ["a comment", "<!-- text -->"],
    ["a comment within a line", "<!-- text\ntext -->"],
    ["a comment that goes on over blank lines", "<div>\n<!--\n\ntext\n\n"],
    ["display:none", '<div style="display:none">\n\ntext\n\n</div>'],
    ["hidden style within a line", "<span style='font-size:0'>text</span>"],
    ["the hidden attribute", "<p hidden>text</p>"],
    ["HIDDEN in capitals", "<P HIDDEN>text</P>"],
    ["a hidden element in an element of its name", "<div hidden><div></div>text</div>"],
    ["a template", "<template>\n\ntext\n\n</template>"],
    ["a script", "<script>\ntext\n</script>"],
    ["a style", "<style>\ntext\n</style>"],
    ["a script within a line", "<b></b><script>text</script>"],
    ["an attribute", '<div title="text\n\ntext\n\n"></div>'],
    ["a link definition", '[a]: text "text\ntext"'],
    ["an image", '![text](text "text")'],
    ["an image by reference", "![text][a]\n\n[a]: text"],
    ["an instruction, a declaration", "<?text?>\n\n<!TEXT text>"],
    ["a thematic break", "***\n---\n___"],
    ["front matter", "---\ntitle: text\n---\n"],
  ])("readMarkdown shows nothing of %s", (_name, text) => {
    expect(visible(text)).toBe("");
    expect(visible(text.replaceAll("\n", "\r\n"))).toBe("");
  });

  it("readMarkdown gives the same list for the same text, without reading it again", () => {
    const text = "# A\n\ntext\n";
    const first = readMarkdown(text);
    expect(readMarkdown(["# A", "", "text", ""].join("\n"))).toBe(first);
  });

  it("readMarkdown finds the blocks a parser of CommonMark finds", () => {
    // Left out: two constructs in which micromark differs from the reference implementation.
    const parts =
      'a|b c|# H|## I|###### J|#|#x|---|===|-|=|***|* * *|> |>|- |* |1. |+ |    |  |   |\t| |\n|\n|\n|\n\n|\n\n|```|~~~|````|``` x|`|``|<div>|<b>|[a]: b|[a]: <b> "t"|[a]|[a](b)|![a](b)|![z][a]|[y][a]|\\|\\#|*e*|_f_|**g**|&amp;|&#65;|<http://x.y>|<m@n.o>|*|_|]|[|!|(|)|"|q r'.split(
        "|",
      );
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
    for (let round = 0; round < 4000; round += 1) {
      const text = Array.from({ length: 1 + random(14) }, () => parts[random(parts.length)] ?? "").join("");
      if (/^---[ \t]*\n/.test(text)) continue;
      const ours = readMarkdown(text).map(({ type, depth, nested, text: shown }) =>
        type === "html" ? "html" : `${type} ${depth} ${nested} ${letters(shown)}`,
      );
      const theirs: string[] = [];
      const walk = (nodes: ReturnType<typeof fromMarkdown>["children"], nested: boolean): void => {
        for (const node of nodes) {
          const shown = letters(toString(node, { includeImageAlt: false, includeHtml: false }));
          if (node.type === "html") theirs.push("html");
          else if (node.type === "heading") theirs.push(`heading ${node.depth} ${nested} ${shown}`);
          else if (node.type === "paragraph" || node.type === "code") theirs.push(`${node.type} 0 ${nested} ${shown}`);
          else if ("children" in node) walk(node.children, true);
        }
      };
      walk(fromMarkdown(text).children, false);
      const filled = (rows: readonly string[]): readonly string[] =>
        rows.filter((row) => !/^(?:para|code).* $/.test(row));
      expect({ text, blocks: filled(ours) }).toEqual({ text, blocks: filled(theirs) });
    }
  });
});

describe("reading a hostile artifact", () => {
  const cpuOf = (text: string): number => {
    const before = process.cpuUsage();
    findMissingSections(text, ["risks", "plan"]);
    findEscalations(builtInTriggers, { claim: claimOf(), artifact: artifactOf(text) });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };

  it.each([...hostileMarkdown])("reading a hostile artifact grows no faster than the text: %s", (_name, make) => {
    // Quadratic growth is 16-fold here and takes seconds; linear growth is 4-fold, with room for a busy machine.
    const small = Math.max(8, cpuOf(make(20_000)));
    const large = cpuOf(make(80_000));
    expect(large < small * 12 ? large : cpuOf(`${make(80_000)} `)).toBeLessThan(small * 12);
  });
});
