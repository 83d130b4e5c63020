import { isScratchFile, isTestFile, kindOfFile } from "@phasekit/core/account";
import { hashText, setBounded } from "@phasekit/core/adapter";

/** Hides names behind hashes: equal names stay equal, a file stays in its folder, and a test stays a test. */
export interface Pseudonyms {
  /** Hides the words of a path or a label, and keeps what is between them. */
  readonly path: (text: string) => string;
  /** Hides a text that is only ever compared. */
  readonly identity: (text: string) => string;
}

const MAX_KNOWN = 10_000;
const MAX_LENGTH = 400;

/**
 * Creates pseudonyms. A secret salt keeps a reader from finding a name by trying names. Words by which Phasekit tells
 * one kind of file from another, such as `test` or `docs`, stay.
 */
export function createPseudonyms(salt = ""): Pseudonyms {
  const words = new Map<string, string>();
  const paths = new Map<string, string>();

  const prefix = salt === "" ? "" : `${salt}\n`;
  const hashOf = (word: string): string => `x${hashText(prefix + word).slice(0, 7)}`;

  function wordOf(word: string): string {
    const found = words.get(word);
    if (found !== undefined) return found;
    const hidden = isPlain(word) ? word : likeCase(word, hashOf(word.toLowerCase()));
    setBounded(words, [word, hidden], MAX_KNOWN);
    return hidden;
  }

  return {
    path: (text) => {
      const found = paths.get(text);
      if (found !== undefined) return found;
      const hidden = hideWords(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text, wordOf);
      setBounded(paths, [text, hidden], MAX_KNOWN);
      return hidden;
    },
    identity: (text) => hashText(prefix + text),
  };
}

/** Replaces the words of a text and keeps what is between them, and the ending of a file name. */
function hideWords(text: string, wordOf: (word: string) => string): string {
  const end = extensionAt(text);
  let hidden = "";
  let from = 0;
  let kind = SEPARATOR;
  for (let at = 0; at < end; at += 1) {
    const next = kindOf(text.charCodeAt(at));
    if (next === kind) continue;
    // A capital begins the word of the small letters after it: `XmlTest`, `XMLTest`.
    const boundary = kind === UPPER && next === LOWER ? at - 1 : at;
    if (boundary > from) {
      const part = text.slice(from, boundary);
      hidden += kind === SEPARATOR ? part : wordOf(part);
      from = boundary;
    }
    kind = next;
  }
  const part = text.slice(from, end);
  return hidden + (kind === SEPARATOR || part === "" ? part : wordOf(part)) + text.slice(end);
}

const SEPARATOR = 0;
const LOWER = 1;
const UPPER = 2;

function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127) return LOWER;
  return code >= 65 && code <= 90 ? UPPER : SEPARATOR;
}

/** Where the ending of a file name begins, which says how it is written and no more. */
function extensionAt(text: string): number {
  const dot = text.lastIndexOf(".");
  return dot > 0 && text.length - dot <= 9 && /^\.[A-Za-z][A-Za-z0-9]*$/.test(text.slice(dot)) ? dot : text.length;
}

function likeCase(word: string, hidden: string): string {
  return kindOf(word.charCodeAt(0)) === UPPER ? `X${hidden.slice(1)}` : hidden;
}

/** Places a word may have in a path. */
const PLACES: readonly ((word: string) => string)[] = [
  (word) => `qz/${word}/qz.ts`,
  (word) => `${word}/qz.ts`,
  (word) => `/${word}/qz/qz.ts`,
  (word) => `/qz/.${word}/qz.md`,
  (word) => `/tmp/qz/${word}/qz.ts`,
  (word) => `${word}/debug.py`,
  (word) => `${word}.py`,
  (word) => `qz/${word}`,
  (word) => `qz/${word}.md`,
  (word) => `qz/${word}/qz.json`,
  (word) => `qz/${word}_qz.py`,
  (word) => `qz/qz_${word}.py`,
  (word) => `qz/qz.${word}.ts`,
  (word) => `qz/Qz${word}.java`,
  (word) => `qz/__${word}__/qz.py`,
];

const look = (path: string): string =>
  `${kindOfFile(path)}${String(isTestFile(path))}${String(isScratchFile(path, { created: true }))}`;

const UNKNOWN: readonly string[] = /* @__PURE__ */ looksOf("qz");

function looksOf(word: string): readonly string[] {
  return PLACES.map((place) => look(place(word)));
}

/** Folders of machines and tools, which say whether a file is one of the project. */
const FOLDERS: ReadonlySet<string> = /* @__PURE__ */ wordSet(
  `home users root tmp private var folders dev etc proc sys usr bin sbin lib local src app packages dist build out \
target obj release node modules venv next nuxt turbo cache gradle tox mypy pytest ruff pycache coverage phasekit git \
github config claude codex gemini scratchpad appdata temp library desktop downloads windows mnt www task c d`,
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Answers of `isPlain`, which are the same for every run. */
const plainWords = new Map<string, boolean>();

function isPlain(word: string): boolean {
  if (word.length > 16 || /\d/.test(word)) return false;
  const found = plainWords.get(word);
  if (found !== undefined) return found;
  const plain = FOLDERS.has(word.toLowerCase()) || PLACES.some((place, index) => look(place(word)) !== UNKNOWN[index]);
  setBounded(plainWords, [word, plain], MAX_KNOWN);
  return plain;
}
