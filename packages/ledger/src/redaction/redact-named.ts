import { looksRandom } from "./looks-random.ts";
import { nameOfValue, type ValueName } from "./name-before.ts";
import { judgeName } from "./secret-names.ts";
import { isId, isSecretValue } from "./secret-values.ts";
import { bareValue, endOfMatch, type Span } from "./text-spans.ts";

/** Words in front of a secret in a header, and in sentences about one. */
const SCHEME = /^(?:bearer|basic|token|api-?key)$/i;

/**
 * Finds values that look random behind a name of a secret that is not simply assigned to them: in the next cell of a
 * table, on the next line, as the next argument.
 */
export function findNamed(text: string, runs: readonly number[]): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const from of runs) {
    if (from < end) continue;
    const to = (end = endOfMatch(text, from, bareValue));
    const value = text.slice(from, to);
    // First, because most runs are names.
    if (value.length < 16 || !looksRandom(value) || isId(value)) continue;
    const name = judgeValue(value, nameOfValue(text, from));
    if (name !== undefined) spans.push({ from, to, name });
  }
  return spans;
}

/** The kind of secret that a random value is, by what is in front of it. */
function judgeValue(value: string, { name, link }: ValueName): string | undefined {
  if (SCHEME.test(name) && /^\s{1,4}["'`]?$/.test(link)) return "authorization";
  const kind = judgeName(name);
  if (kind === undefined || kind === "phrase" || kind === "auth") return undefined;
  // A space alone is enough behind a name that is not a word of prose.
  const isPlain = /^[ \t]*(?:--?[a-z-]{1,20})?[ \t]*["'`]?$/.test(link);
  if (isPlain && (kind === "weak" || !isTechnical(name))) return undefined;
  if (!isSecretValue(value, kind, "inline")) return undefined;
  return kind === "password" ? "password" : "secret";
}

/** True for `API_TOKEN`, `api-token` and `apiToken`, not for `token`. */
function isTechnical(name: string): boolean {
  return /[A-Za-z0-9][_-][A-Za-z0-9]|[a-z][A-Z]|^_[a-z]/.test(name);
}
