const repeat =
  (unit: string) =>
  (length: number): string =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Steps that grow by one unit each, as many as fit. */
const stairs =
  (step: (n: number) => string) =>
  (length: number): string => {
    const lines: string[] = [];
    for (let n = 1, size = 0; size < length; n += 1) {
      const line = step(n);
      lines.push(line);
      size += line.length + 1;
    }
    return lines.join("\n").slice(0, length);
  };

/** Units that made one Markdown parser or another slow when repeated. */
const UNITS = [
  ..."> < [ ] ! ( ` * _ # & | - + = ~ \\ 1 : \" ' \n \r \t \0".split(" "),
  " ",
  ...[
    "a\n=\n",
    "=\n",
    "a\n-\n",
    "a\n",
    ">\n",
    "> ",
    "> a\n",
    "[a](",
    "[a](b",
    "[a]((",
    "[a](<b",
    "[a]",
    "![",
    "[a]: b\n",
  ],
  ...[
    "[a]: <",
    '[a]: b "',
    "[a]: b\n'",
    "[a][b]",
    "[\\",
    '[a](b "',
    "*a_",
    "*a ",
    "a**b",
    "_a ",
    "**a *",
    "*_",
    "a*",
    "<a",
  ],
  ...[
    "<a ",
    "<!",
    "<!--",
    "<?",
    "<![CDATA[",
    '<a b="',
    "<a b='",
    "</",
    "<div>\n\n",
    "<a:",
    "<a@",
    "<div>",
    "<b>",
    "`a",
    "```\n",
  ],
  ...[
    "~~~\n```\n",
    "- ",
    "- a\n",
    "-\n\n",
    "1. ",
    "1. a\n",
    "- > ",
    "> - ",
    "-   a\n\n",
    "1) a\n2. b\n",
    "&a",
    "&#",
    "&amp;",
  ],
  ...[
    "&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    " \n",
    "\ta\n",
    "---\n",
    "* * ",
    "# ",
    "# a\n",
    "###### a\n",
    "|a|b|\n|-|-|\n",
    "~~a ",
  ],
  ...[
    "# a\n## b\n### c\n#### d\n##### e\n###### f\n",
    "\u00a0",
    "\u200b",
    "a\u0301",
    "😀",
    "no password, ",
    "---\n--- x\n",
  ],
];

/** Markdown that aims at the time of its reader, by name; each is as long as asked for. */
export const hostileMarkdown: ReadonlyMap<string, (length: number) => string> = new Map([
  ...UNITS.map((unit) => [JSON.stringify(unit), repeat(unit)] as const),
  ["underline", (n) => `a\n${"=".repeat(n)}`],
  ["long paragraph with an underline", (n) => `${repeat("a\n")(n)}\n===\n`],
  ["brackets that close", (n) => "[".repeat(n / 2) + "]".repeat(n / 2)],
  ["a label and brackets that close", (n) => `[a]: b\n\n${"[".repeat(n / 2)}a${"]".repeat(n / 2)}`],
  ["images that close", (n) => "![".repeat(n / 4) + "](a)".repeat(n / 4)],
  ["a label without an end", (n) => `[${"a".repeat(n)}`],
  ["a comment of hyphens", (n) => `<!--${"-".repeat(n)}`],
  ["< in an HTML block", (n) => `<div>\n${"<".repeat(n)}`],
  ["<a in an HTML block", (n) => `<div>\n${repeat("<a ")(n)}`],
  ["attributes without an end", (n) => `<div ${repeat("b=' c=\" ")(n)}`],
  ["spaces in a tag", (n) => `a <b${" ".repeat(n)}`],
  ["spaces in a definition", (n) => `[a]:${" ".repeat(n)}<`],
  ["spaces before a title", (n) => `[a]: b${" ".repeat(n)}"`],
  ["spaces in a heading", (n) => `# a${" ".repeat(n)}b`],
  ["hashes that close", (n) => `# a${" #".repeat(n / 2)}`],
  ["spaces within a line", (n) => `a${" ".repeat(n)}b`],
  ["runs of backticks", stairs((n) => `${"`".repeat(n)}a`)],
  ["stairs of quotes", stairs((n) => `${"> ".repeat(n)}a`)],
  ["stairs of lists", stairs((n) => `${"  ".repeat(n)}- a`)],
  ["deep lists and blank lines", (n) => `${"- ".repeat(n / 4)}a\n${"\n".repeat(n / 2)}`],
  ["deep quotes and lazy lines", (n) => `${"> ".repeat(n / 4)}a\n${"b\n".repeat(n / 4)}`],
  ["front matter without an end", (n) => `---\n${repeat("a: b\n")(n)}`],
  ["front matter of tabs", (n) => `---\n---${"\t".repeat(n)}x`],
  ["piled marks", (n) => `a${"\u0301".repeat(n)}`],
] as readonly (readonly [string, (length: number) => string])[]);
