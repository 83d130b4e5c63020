import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTranscript } from "../src/index.ts";
import { detectFormat } from "../src/detect-format.ts";

const folder = join(import.meta.dirname, "fixtures");
/** Names an object has without having them itself, and names of the same length that no table lists. */
const NAMES = [
  ["constructor", "zzzzzzzzzzz"],
  ["toString", "zzZzzzzz"],
  ["__proto__", "__zzzzz__"],
] as const;

/** The words a transcript holds as values, such as a type, a tool or a reason. */
function wordsIn(value: unknown, words: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value === "string" && /^[A-Za-z_-]{2,30}$/.test(value)) words.add(value);
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) wordsIn(member, words);
  return words;
}

describe("a fixture in which a word is a name of Object.prototype", () => {
  const files = readdirSync(folder).filter((file) => /\.(?:jsonl?|traj|ipynb)$/.test(file));

  it.each(files)("%s: the translation is that of any other unknown word", (file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const format = detectFormat(text)?.format.name ?? "";
    const values: unknown = file.endsWith("l")
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      : JSON.parse(text);
    for (const word of wordsIn(values))
      for (const [name, plain] of NAMES) {
        const translate = (replacement: string): string =>
          JSON.stringify(
            parseTranscript(text.replaceAll(`"${word}"`, `"${replacement}"`), { name: "unnamed", format }),
          ).replaceAll(replacement, "NAME");
        expect(translate(name), `${word} → ${name}`).toBe(translate(plain));
      }
  });
});
