/**
 * Finds the JSON objects in a text, the likeliest first: the whole text, then fenced blocks, then objects inside prose.
 * Within each kind the last comes first, because a model thinks before it decides.
 */
export function jsonInText(text: string): readonly unknown[] {
  const found: unknown[] = [];
  // Nested objects share their text. Without a limit, nested braces would be parsed once per level.
  let left = REREAD * text.length;
  let tries = 0;
  for (const candidate of [text, ...fencedIn(text).reverse(), ...objectsIn(text).reverse()]) {
    left -= candidate.length;
    tries += 1;
    if (left < 0 || tries > MAX_TRIES) break;
    const value = parsed(candidate);
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** Limit of the total length of all candidates, as a multiple of the text. */
const REREAD = 16;
/** Maximum number of candidates to parse, because a failed parse is slow. */
const MAX_TRIES = 256;

/** Contents of fenced blocks, without the language after the first fence. An unclosed fence is skipped. */
function fencedIn(text: string): string[] {
  const found: string[] = [];
  for (let open = text.indexOf(FENCE); open !== -1;) {
    const close = text.indexOf(FENCE, open + FENCE.length);
    if (close === -1) break;
    const body = text.slice(open + FENCE.length, close);
    found.push(body.slice(/^[\w-]*/.exec(body)?.[0].length));
    open = text.indexOf(FENCE, close + FENCE.length);
  }
  return found;
}

const FENCE = "```";

/** Pairs of braces, ignoring braces inside strings. An unclosed brace is skipped. */
function objectsIn(text: string): string[] {
  const found: string[] = [];
  const open: number[] = [];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === "\\") at += 1;
    else if (letter === '"' && open.length > 0) quoted = !quoted;
    else if (quoted) continue;
    else if (letter === "{") open.push(at);
    else if (letter === "}") {
      const start = open.pop();
      if (start !== undefined) found.push(text.slice(start, at + 1));
    }
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
