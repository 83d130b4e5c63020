/**
 * Parses the JSON value a truncated text begins with. Open containers are closed after their last complete member.
 * Returns `undefined` if the text is not JSON.
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
  const { safe, open } = scan(text);
  return open.length === 0 ? safe : undefined;
}

/** The text up to the end of the last whole member, with everything closed that is open there. */
function lastWholeMember(text: string): string | undefined {
  const { safe, open } = scan(text);
  return safe === undefined ? undefined : `${text.slice(0, safe)}${open.reverse().join("")}`;
}

/** The last place where a text could be cut, and what is open there. */
function scan(text: string): { readonly safe: number | undefined; readonly open: string[] } {
  const open: string[] = [];
  let safe: number | undefined;
  // Containers opened after the last complete member are deeper in the list: closing one also completes a member.
  let depth = 0;
  const canEndAt = (end: number): void => {
    safe = end;
    depth = open.length;
  };
  for (let index = 0; index < text.length; index += 1) {
    const mark = text.charCodeAt(index);
    if (mark === QUOTE) {
      index = endOfString(text, index);
      if (index === -1) break;
    } else if (mark === BRACE || mark === BRACKET) {
      open.push(mark === BRACE ? "}" : "]");
    } else if (mark === CLOSING_BRACE || mark === CLOSING_BRACKET) {
      if (open.at(-1) !== text[index]) break;
      open.pop();
      canEndAt(index + 1);
      // A whole value; what follows is another one.
      if (open.length === 0) break;
    } else if (mark === COMMA && open.length > 0) canEndAt(index);
  }
  return { safe, open: open.slice(0, depth) };
}

const [QUOTE, BRACE, CLOSING_BRACE, BRACKET, CLOSING_BRACKET, COMMA] = Array.from('"{}[],', (mark) =>
  mark.charCodeAt(0),
);

/** Where a string ends that begins at `start`; -1 when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
