/**
 * Every JSON object in a text, the likeliest first: the whole text, then what stands in fenced blocks, then objects
 * between other words. Of several of one kind the last comes first, since a model thinks before it decides.
 */
export function jsonInText(text: string): readonly unknown[] {
  const fenced = [...text.matchAll(/```[\w-]*[^\S\n]*\n?([\s\S]*?)```/g)].map(([, body = ""]) => body).reverse();
  const candidates = [text, ...fenced, ...objectsIn(text).toReversed()];
  return candidates.flatMap((candidate) => {
    const value = parsed(candidate);
    return value === undefined ? [] : [value];
  });
}

/** The outermost pairs of braces, whatever stands inside strings. A brace that is never closed is skipped. */
function objectsIn(text: string): readonly string[] {
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
