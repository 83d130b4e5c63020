import type { Json } from "@phasekit/core";

/** The shortest part of a registered secret that is taken for one. */
const SHORTEST_PART = 6;
const MARK = "[redacted:registered]";

/** A text without the part of a secret that it ends or begins with: the rest was cut off, or came with another event. */
export function redactEdges(text: string, secret: string): string {
  if (text.length < SHORTEST_PART) return text;
  if (text.length < secret.length && secret.includes(text)) return MARK;
  const withoutEnd = redactEnd(text, secret);
  return redactBeginning(withoutEnd, secret);
}

function redactEnd(text: string, secret: string): string {
  const head = secret.slice(0, SHORTEST_PART);
  const from = Math.max(0, text.length - secret.length + 1);
  for (let at = text.indexOf(head, from); at >= 0; at = text.indexOf(head, at + 1)) {
    if (secret.startsWith(text.slice(at))) return text.slice(0, at) + MARK;
  }
  return text;
}

function redactBeginning(text: string, secret: string): string {
  const tail = secret.slice(-SHORTEST_PART);
  const window = text.slice(0, secret.length - 1);
  for (let at = window.lastIndexOf(tail); at >= 0; at = at === 0 ? -1 : window.lastIndexOf(tail, at - 1)) {
    const end = at + SHORTEST_PART;
    if (secret.endsWith(text.slice(0, end))) return MARK + text.slice(end);
  }
  return text;
}

/**
 * A list whose texts, one after the other, make up a secret: every text that holds a part of it is withheld. Texts are
 * the strings of the list and the `text` members of its objects, as in streamed pieces and parts of a message.
 */
export function redactPieces(list: readonly Json[], secrets: readonly string[]): readonly Json[] {
  const texts = list.map(textOf);
  const joined = texts.join("");
  const parts: { readonly from: number; readonly to: number }[] = [];
  for (const secret of secrets) {
    for (let at = joined.indexOf(secret); at >= 0; at = joined.indexOf(secret, at + secret.length)) parts.push({ from: at, to: at + secret.length });
  }
  if (parts.length === 0) return list;
  parts.sort((a, b) => a.from - b.from);
  let begin = 0;
  let next = 0;
  return list.map((item, index) => {
    const end = begin + (texts[index] ?? "").length;
    while ((parts[next]?.to ?? Infinity) <= begin) next += 1;
    const holdsPart = end > begin && (parts[next]?.from ?? Infinity) < end;
    begin = end;
    if (!holdsPart) return item;
    return typeof item === "string" ? MARK : { ...(item as object), text: MARK };
  });
}

function textOf(item: Json): string {
  if (typeof item === "string") return item;
  const text = typeof item === "object" && item !== null && "text" in item ? item.text : undefined;
  return typeof text === "string" ? text : "";
}
