/**
 * The value a text begins with, as far as the text goes: containers that were cut off are closed after their last whole
 * member. `undefined` when it is no JSON.
 */
export function parsePrefix(text: string): unknown {
  const cut = lastWholeMember(text);
  return cut === undefined ? undefined : tryParse(cut);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Where the value ends that a text begins with; `undefined` when it does not end. */
export function endOfValue(text: string): number | undefined {
  let end: number | undefined;
  const open = scan(text, (place) => { end = place; });
  return open.length === 0 ? end : undefined;
}

/** The text up to the end of the last whole member, with everything closed that is open there. */
function lastWholeMember(text: string): string | undefined {
  let safe: number | undefined;
  scan(text, (end) => { safe = end; });
  if (safe === undefined) return undefined;
  const whole = text.slice(0, safe);
  return `${whole}${scan(whole, () => undefined).reverse().join("")}`;
}

/** Goes through a text, tells every place where it could be cut, and gives what is open at its end. */
function scan(text: string, canEndAt: (end: number) => void): string[] {
  const open: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const mark = text[index];
    if (mark === '"') {
      index = endOfString(text, index);
      if (index === -1) break;
    } else if (mark === "{" || mark === "[") {
      open.push(mark === "{" ? "}" : "]");
    } else if (mark === "}" || mark === "]") {
      if (open.pop() !== mark) break;
      canEndAt(index + 1);
      // A whole value; what follows is another one.
      if (open.length === 0) break;
    } else if (mark === "," && open.length > 0) canEndAt(index);
  }
  return open;
}

/** Where a string ends that begins at `start`; -1 when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
