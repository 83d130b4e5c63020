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
 * Creates pseudonyms. With a salt, nobody without it can find out a name by trying names. Words by which Phasekit tells
 * one kind of file from another, such as `test` or `docs`, are no names and stay.
 */
export function createPseudonyms(salt = ""): Pseudonyms {
  const words = new Map<string, string>();
  const paths = new Map<string, string>();

  function wordOf(word: string): string {
    const found = words.get(word);
    if (found !== undefined) return found;
    const hidden = isPlain(word) ? word : likeCase(word, `x${hashText(`${salt}\n${word.toLowerCase()}`).slice(0, 7)}`);
    setBounded(words, [word, hidden], MAX_KNOWN);
    return hidden;
  }

  return {
    path: (text) => {
      const found = paths.get(text);
      if (found !== undefined) return found;
      const end = extensionAt(text);
      const hidden = text.slice(0, end).slice(0, MAX_LENGTH).replace(WORD, wordOf) + text.slice(end);
      setBounded(paths, [text, hidden], MAX_KNOWN);
      return hidden;
    },
    identity: (text) => hashText(`${salt}\n${text}`),
  };
}

const WORD = /\p{Lu}?[\p{Ll}\p{M}\p{N}]+|\p{Lu}+(?!\p{Ll})|[\p{Lo}\p{Lm}]+/gu;

/** Where the ending of a file name begins, which says how it is written and no more. */
function extensionAt(text: string): number {
  const found = /\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(text);
  return found === null ? text.length : found.index;
}

function likeCase(word: string, hidden: string): string {
  return /^\p{Lu}/u.test(word) ? `X${hidden.slice(1)}` : hidden;
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
  (word) => `qz/${word}_qz.py`,
  (word) => `qz/qz_${word}.py`,
  (word) => `qz/qz.${word}.ts`,
  (word) => `qz/Qz${word}.java`,
  (word) => `qz/__${word}__/qz.py`,
];

const look = (path: string): string =>
  `${kindOfFile(path)}${String(isTestFile(path))}${String(isScratchFile(path, { created: true }))}`;

const UNKNOWN = PLACES.map((place) => look(place("qz")));

/** Folders of machines and tools, which say whether a file is one of the project. */
const FOLDERS: ReadonlySet<string> = new Set(
  (
    "home users root tmp private var folders dev etc proc sys usr bin sbin lib local src app packages dist build out " +
    "target obj release node modules venv next nuxt turbo cache gradle tox mypy pytest ruff pycache coverage phasekit " +
    "git github config claude codex gemini scratchpad appdata temp library desktop downloads windows mnt www task c d"
  ).split(" "),
);

function isPlain(word: string): boolean {
  if (word.length > 16) return false;
  return FOLDERS.has(word.toLowerCase()) || PLACES.some((place, index) => look(place(word)) !== UNKNOWN[index]);
}
