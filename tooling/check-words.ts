import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Hit, packageAreas, ratchet } from "./ratchet.ts";
import { root } from "./workspace.ts";

/**
 * Counts words and habits that docs/contributing/style.md replaces, per package and page group, and fails above the
 * numbers in tooling/words.json. The numbers can only shrink: `--write` lowers them and never raises one.
 *
 *   node tooling/start.mjs tooling/check-words.ts compares with tooling/words.json;
 *   node tooling/start.mjs tooling/check-words.ts --list core shows every hit of one area,
 * with an optional pattern after it.
 */
type Kind = "source" | "titles" | "prose";

interface Pattern {
  readonly find: RegExp;
  readonly instead: string;
  /** @default all */
  readonly kinds?: readonly Kind[];
}

/** The last word of a type name that is a participle; nouns that only look like one are left out. */
const PARTICIPLE =
  /\b(?:interface|type|class) \w*?(?!(?:Meaning|Finding|String|Ring|Warning|Heading|Reading|Timing|Listing|Seed|Feed)\b)(?:[A-Z][a-z]+(?:ing|ed)|Taken|Given|Told|Seen|Known|Found|Kept|Held|Made|Said|Done|Heard)(?=<| extends| =| \{)/g;

const PATTERNS: Readonly<Record<string, Pattern>> = {
  "is no": {
    find: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|fewer\b|less\b|better\b|worse\b|later\b|different\b)/gi,
    instead: '"is not a …"',
  },
  told: { find: /\btold(?![a-z])/gi, instead: 'say who does what: "the agent gets a nudge", "input"' },
  nobody: { find: /\b(?:nobody|somebody)\b/gi, instead: "name the person, package or part" },
  "comment opening": {
    find: /(?<=(?:\/\*\*?|\/\/)\s*(?:\*\s*)?)(?:What|Whether|The same|Who)\b/g,
    instead: 'start with a noun or a verb: "Options for …", "Returns …", "True if …"',
    kinds: ["source"],
  },
  "sentence opening": {
    find: /(?:^|(?<=[.!|] ))(?:[-*>] )?(?:What|Who|Whether) (?!it is\b|it does\b)[^.?!|\n]*(?=[.!|\n]|$)/gm,
    instead: "put the actor first",
    kinds: ["prose"],
  },
  "for ever": { find: /\bfor ever\b/gi, instead: '"never stops", "permanently"' },
  "so many": { find: /\bso many\b/gi, instead: "`<n>`" },
  "at once": { find: /\bat once\b/gi, instead: '"immediately", "in one call", "up front"' },
  "go on": { find: /\b(?:go|goes|going|went|gone) on\b/gi, instead: '"continue"' },
  mend: { find: /\bmend(?:s|ed|ing)?\b/gi, instead: '"fix"' },
  stand: { find: /\b(?:stands?|stood)\b(?! for\b)/gi, instead: '"is", "says", "holds"' },
  door: { find: /\bdoors?(?![a-z])|Doors?(?![a-z])/g, instead: '"ingestion"' },
  heed: { find: /\bheed(?:s|ed|ing)?(?![a-z])/gi, instead: '"apply"' },
  rung: { find: /\brungs?(?![a-z])|(?<=[a-z])Rungs?(?![a-z])/gi, instead: '"escalation level"' },
  fact: {
    find: /(?<![A-Za-z])(?<!\bin )[Ff]acts?(?![a-z])|(?<=[a-z])Facts?(?![a-z])/g,
    instead: '"event"',
  },
  "participle type": { find: PARTICIPLE, instead: "a noun: `IngestContext`", kinds: ["source"] },
};
const LONG = "lines over 120";

/** Files of each area: packages by their folder, and the rest of the repository in groups. */
const areas: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    packageAreas().map(([area, { folder }]) => [
      area,
      [`${folder}/src/**/*.{ts,tsx}`, `${folder}/test/**/*.ts`, `${folder}/README.md`],
    ]),
  ),
  pages: ["*.md", "llms.txt", "examples/README.md", "docs/*.md", "docs/contributing/*.md"],
  decisions: ["docs/decisions/*.md"],
  changesets: [".changeset/*.md"],
  examples: ["examples/*/*.ts"],
  bench: ["bench/src/**/*.ts"],
  tooling: ["tooling/*.ts", "tooling/*/*.ts"],
};

/** Pages that name the words to avoid, generated pages, and recorded data. */
const LEFT_OUT =
  /(?:^|\/)(?:node_modules|dist|__fixtures__|__snapshots__)\/|^docs\/(?:glossary|contributing\/style|errors|reasons)\.md$|^tooling\/check-words\.ts$/;

const TITLES =
  /\b(?:describe|it|test)(?:\.\w+(?:\([^\n]*?\))?)*\(\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)/g;
const CODE_BLOCKS = /^```[^]*?^```/gm;
/** Patterns are data: they name what other programs print. */
const REGEXES = /(?<=[=(,:[!&|?;{}>]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g;

const hits = Object.entries(areas).flatMap(([area, globs]) =>
  globSync([...globs], { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !LEFT_OUT.test(path))
    .sort()
    .flatMap((path) => hitsIn(area, path)),
);

ratchet({
  program: "check-words",
  limits: "words.json",
  areas: Object.keys(areas),
  patterns: {
    ...Object.fromEntries(Object.entries(PATTERNS).map(([name, { instead }]) => [name, `Write ${instead} instead.`])),
    [LONG]: "Break the line.",
  },
  hits,
});

function hitsIn(area: string, path: string): readonly Hit[] {
  const text = readFileSync(join(root, path), "utf8");
  const found = searchedTexts(path, text).flatMap(([kind, searched]) =>
    Object.entries(PATTERNS).flatMap(([pattern, { find, kinds }]) =>
      kinds !== undefined && !kinds.includes(kind)
        ? []
        : [...searched.matchAll(find)].map(({ index }) => hit({ area, pattern, path, text: searched, index })),
    ),
  );
  if (!/\.tsx?$/.test(path)) return found;
  const long = text.split("\n").flatMap((line, index) => (line.length > 120 ? [{ line, index }] : []));
  return [
    ...found,
    ...long.map(({ line, index }) => ({
      area,
      pattern: LONG,
      where: `${path}:${String(index + 1)}`,
      text: line.trim().slice(0, 60),
    })),
  ];
}

/** The parts of a file that people read. Everything else is blanked, so that line numbers stay. */
function searchedTexts(path: string, text: string): readonly (readonly [Kind, string])[] {
  if (/\.test(?:-d)?\.ts$/.test(path)) return [["titles", only(text, TITLES)]];
  // Helpers of tests, and their data.
  if (/^packages\/.*\/test\//.test(path)) return [];
  if (!/\.tsx?$/.test(path)) return [["prose", blank(text, CODE_BLOCKS)]];
  return [["source", blank(text, REGEXES)]];
}

function only(text: string, find: RegExp): string {
  return [...text.matchAll(find)].reduce(
    (kept, { 0: title, index }) => `${kept}${empty(text.slice(kept.length, index))}${title}`,
    "",
  );
}

function blank(text: string, find: RegExp): string {
  return text.replaceAll(find, empty);
}

function empty(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

function hit({
  area,
  pattern,
  path,
  text,
  index,
}: Omit<Hit, "where"> & { readonly path: string; readonly index: number }): Hit {
  const line = text.slice(0, index).split("\n").length;
  const start = text.lastIndexOf("\n", index) + 1;
  const from = Math.max(start, index - 30);
  return {
    area,
    pattern,
    where: `${path}:${String(line)}`,
    text: (text.slice(from, index + 50).split("\n")[0] ?? "").trim(),
  };
}
