import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

/** The content of a file and of everything it imports by a relative path. */
export interface CodeHash {
  /** The SHA-256 of the file, or of the list if there are several files. */
  readonly sha256: string;
  /** The real paths covered by the hash, the file itself first. */
  readonly files: readonly string[];
  /** Imports not covered by the hash: packages and computed paths. */
  readonly uncovered: readonly string[];
}

/** Whitespace and comments, allowed before every part of an import. */
const GAP = String.raw`(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/[^\n]*)*`;
const SPECIFIER = new RegExp(String.raw`\b(?:from|import|require)${GAP}(?:\(${GAP})?(["'])([^"'\n]{1,1000})\1`, "g");
const COMPUTED = new RegExp(String.raw`\b(?:import|require)${GAP}\(${GAP}(?!["'\s/])`);
const ENDINGS = ["", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"];
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const MAX_FILES = 500;

/**
 * Hashes a code file with everything it imports by literal relative paths. If a path can mean several files, all
 * existing ones are covered, so that adding a file changes the hash.
 */
export async function hashCode(path: string): Promise<CodeHash> {
  const first = realpathSync(path);
  const hashes = new Map<string, string>();
  const uncovered = new Set<string>();
  const open = [first];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (hashes.has(file)) continue;
    if (hashes.size >= MAX_FILES) {
      uncovered.add(`more than ${String(MAX_FILES)} files`);
      break;
    }
    const content = await readFile(file);
    hashes.set(file, sha256Of(content));
    if (!CODE.test(file)) continue;
    const text = content.toString("utf8");
    if (COMPUTED.test(text)) uncovered.add(`computed imports in ${relative(dirname(first), file)}`);
    for (const [, , specifier = ""] of text.matchAll(SPECIFIER)) {
      if (specifier.includes("\\")) uncovered.add(`an import with escapes in ${relative(dirname(first), file)}`);
      else if (/^\.{1,2}(?:\/|$)/.test(specifier)) open.push(...filesAt(resolve(dirname(file), specifier)));
      else if (!specifier.startsWith("node:")) uncovered.add(specifier);
    }
  }
  const others = [...hashes.keys()].filter((file) => file !== first).toSorted();
  const list = [first, ...others].map((file) => `${hashes.get(file) ?? ""}  ${relative(dirname(first), file)}\n`);
  return {
    sha256: others.length === 0 ? (hashes.get(first) ?? "") : sha256Of(list.join("")),
    files: [first, ...others],
    uncovered: [...uncovered],
  };
}

/** The SHA-256 of a content, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Returns every file that some loader may resolve this import to. */
function filesAt(path: string): readonly string[] {
  const bare = path.replace(/\.([cm]?)jsx?$/, "");
  return [path, bare]
    .flatMap((stem) => [stem, join(stem, "index")].flatMap((start) => ENDINGS.map((ending) => `${start}${ending}`)))
    .filter((file) => existsSync(file) && statSync(file).isFile())
    .map((file) => realpathSync(file));
}
