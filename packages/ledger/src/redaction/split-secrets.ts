import type { Json } from "@phasekit/core";
import { createLiteralIndex, KEY_LENGTH } from "./literal-index.ts";

/** Finds registered secrets that were split. */
export interface SplitSecrets {
  /** Removes a part of a secret from both ends of a text: the rest was cut off, or came with another event. */
  readonly redactEdges: (text: string) => string;
  /**
   * Withholds the texts of a list that make up a secret together. Texts are the strings of the list and the `text`
   * members of its objects, as in streamed pieces and parts of a message.
   */
  readonly redactPieces: (list: readonly Json[]) => readonly Json[];
}

/** The shortest part of a registered secret that is taken for one. */
const SHORTEST_PART = KEY_LENGTH;
const MARK = "[redacted:registered]";

export function createSplitSecrets(secrets: readonly string[]): SplitSecrets {
  const heads = createLiteralIndex(secrets, (secret) => secret.slice(0, SHORTEST_PART));
  const tails = createLiteralIndex(secrets, (secret) => secret.slice(-SHORTEST_PART));
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  const secretsByPart = new Map<string, Set<string>>();
  for (const secret of secrets) {
    for (let at = 0; at + SHORTEST_PART <= secret.length; at += 1) {
      const part = secret.slice(at, at + SHORTEST_PART);
      const others = secretsByPart.get(part);
      if (others === undefined) secretsByPart.set(part, new Set([secret]));
      else others.add(secret);
    }
  }

  /** True if a text is nothing but a part of a secret. */
  function isPart(text: string): boolean {
    for (const secret of secretsByPart.get(text.slice(0, SHORTEST_PART)) ?? [])
      if (text.length < secret.length && secret.includes(text)) return true;
    return false;
  }

  function redactEnd(text: string): string {
    let cut = text.length;
    for (const { literal: secret, at } of heads(text, Math.max(0, text.length - longest + 1))) {
      if (at < cut && text.length - at < secret.length && secret.startsWith(text.slice(at))) cut = at;
    }
    return cut === text.length ? text : text.slice(0, cut) + MARK;
  }

  function redactBeginning(text: string): string {
    let cut = 0;
    for (const { literal: secret, at } of tails(text, 0, Math.min(text.length, longest - 1))) {
      const end = at + SHORTEST_PART;
      if (end < secret.length && secret.endsWith(text.slice(0, end))) cut = end;
    }
    return cut === 0 ? text : MARK + text.slice(cut);
  }

  function redactPieces(list: readonly Json[]): readonly Json[] {
    const texts = list.map(textOf);
    const joined = texts.join("");
    const parts: { from: number; to: number }[] = [];
    for (const { literal: secret, at } of tails(joined)) {
      const to = at + SHORTEST_PART;
      if (joined.startsWith(secret, to - secret.length)) parts.push({ from: to - secret.length, to });
    }
    if (parts.length === 0) return list;
    parts.sort((a, b) => a.from - b.from);
    let begin = 0;
    let next = 0;
    let reached = 0;
    return list.map((item, index) => {
      const end = begin + (texts[index] ?? "").length;
      for (let part = parts[next]; part !== undefined && part.from < end; part = parts[(next += 1)])
        reached = Math.max(reached, part.to);
      const holdsPart = end > begin && reached > begin;
      begin = end;
      if (!holdsPart) return item;
      return typeof item === "string" ? MARK : { ...(item as object), text: MARK };
    });
  }

  return {
    redactEdges: (text) => {
      if (text.length < SHORTEST_PART || longest === 0) return text;
      return text.length < longest && isPart(text) ? MARK : redactBeginning(redactEnd(text));
    },
    redactPieces,
  };
}

function textOf(item: Json): string {
  if (typeof item === "string") return item;
  const text = typeof item === "object" && item !== null && "text" in item ? item.text : undefined;
  return typeof text === "string" ? text : "";
}
