import { describe, expect, it } from "vitest";
import { createJsonSplitter } from "./split-json.ts";
import type { TranscriptRecord } from "../transcript-format.ts";
import { splitPaths, walkDocument } from "./walk-document.ts";

function split(
  text: string,
  {
    paths = ["items.*"],
    size = 7,
    maxLength = 1000,
  }: { readonly paths?: readonly string[]; readonly size?: number; readonly maxLength?: number } = {},
) {
  const pieces: TranscriptRecord[] = [];
  const broken: string[] = [];
  const splitter = createJsonSplitter(splitPaths(paths), {
    maxLength,
    give: (piece) => pieces.push(piece),
    broken: (why, path) => broken.push(`${path.join(".")}: ${why}`),
  });
  for (let from = 0; from < text.length; from += size) splitter.push(text.slice(from, from + size));
  splitter.end();
  return { pieces, broken };
}

/** A small generator with a seed: the same documents in every run. */
function randomDocuments(seed: number) {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  const texts = [
    "",
    "a",
    'quo"te',
    "back\\slash",
    "brackets ]}{[",
    "new\nline",
    "\u2028",
    "emoji 😀",
    '\\"',
    "comma, colon:",
    "items",
  ];
  const value = (depth: number): unknown => {
    const kind = next(depth > 4 ? 4 : 7);
    if (kind === 0) return texts[next(texts.length)];
    if (kind === 1) return next(1000) - 500;
    if (kind === 2) return [true, false, null][next(3)];
    if (kind === 3) return next(100) / 7e5;
    if (kind === 4) return Array.from({ length: next(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: next(4) }, () => [texts[next(texts.length)], value(depth + 1)]));
  };
  return { value: () => value(0), next };
}

describe("createJsonSplitter", () => {
  it("gives the same pieces as the whole document, however it is cut, spaced and split", () => {
    const { value, next } = randomDocuments(7);
    const choices = [["*"], ["items.*"], ["a.*", "items.*.*"], ["*.items.*"], ["*.*.*"], []];
    for (let round = 0; round < 600; round += 1) {
      const document =
        next(2) === 0
          ? { items: [value(), value()], a: value(), rest: value() }
          : [value(), { items: [value()] }, value()];
      const paths = choices[next(choices.length)]!;
      const text = JSON.stringify(document, undefined, next(2) === 0 ? undefined : 2);
      const whole: TranscriptRecord[] = [];
      walkDocument(JSON.parse(text), splitPaths(paths), { give: (piece) => whole.push(piece) });
      const { pieces, broken } = split(text, { paths, size: 1 + next(20), maxLength: 1e6 });
      expect(broken).toEqual([]);
      expect(pieces).toEqual(whole);
    }
  });

  it.each([
    {
      name: "a piece that is too long, and only that one",
      text: `{"items":[1,"${"x".repeat(100)}",3]}`,
      maxLength: 50,
      pieces: [1, 3],
      broken: ["items.1: longer than 50 characters"],
    },
    {
      name: "a piece just within the limit",
      text: `{"items":["${"x".repeat(48)}"]}`,
      maxLength: 50,
      pieces: ["x".repeat(48)],
      broken: [],
    },
    {
      name: "a record that is not JSON",
      text: '{"items":[1,nope,{"a":tru},4]}',
      maxLength: 50,
      pieces: [1, 4],
      broken: ["items.1: broken JSON", "items.2: broken JSON"],
    },
    {
      name: "a document that is cut off",
      text: '{"items":[1,{"a":2',
      maxLength: 50,
      pieces: [1],
      broken: ["items.1: broken JSON", "items.1: the document is cut off"],
    },
    {
      name: "what follows the document",
      text: '{"items":[1]} {"items":[2]}',
      maxLength: 50,
      pieces: [1],
      broken: [": text behind the document"],
    },
    { name: "nothing", text: "", maxLength: 50, pieces: [], broken: [] },
  ])("reads past $name", ({ text, maxLength, pieces, broken }) => {
    for (const size of [1, 3, 1000]) {
      const found = split(text, { maxLength, size });
      expect(found.pieces.map(({ value }) => value)).toEqual(pieces);
      expect(found.broken).toEqual(broken);
    }
  });
});
