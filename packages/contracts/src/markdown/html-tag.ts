/** Finds inline HTML as CommonMark defines it. Remembers failed searches, so a row of `<` takes linear time. */
export interface TagFinder {
  /** Where the tag, comment, instruction, declaration or CDATA section that begins at `at` ends; -1 for none. */
  readonly endOf: (at: number) => number;
}

const OPEN_TAG =
  /<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/y;
const CLOSING_TAG = /<\/[A-Za-z][A-Za-z0-9-]*\s*>/y;

/** Prepares a text for the search. */
export function createTagFinder(text: string): TagFinder {
  // The first place from which an ending is known not to come any more.
  const gone = new Map<string, number>();
  const search = (ending: string, from: number): number => {
    if (from >= (gone.get(ending) ?? Infinity)) return -1;
    const found = text.indexOf(ending, from);
    if (found === -1) gone.set(ending, from);
    return found === -1 ? -1 : found + ending.length;
  };
  const match = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
  return {
    endOf: (at) => {
      // Nothing of this ends without it, and an attribute that opens a quote needs the second one.
      if (search(">", at + 1) === -1) return -1;
      switch (text[at + 1]) {
        case "!":
          if (text.startsWith("--", at + 2)) {
            if (text.startsWith(">", at + 4)) return at + 5;
            return text.startsWith("->", at + 4) ? at + 6 : search("-->", at + 4);
          }
          if (text.startsWith("[CDATA[", at + 2)) return search("]]>", at + 9);
          return /[A-Za-z]/.test(text[at + 2] ?? "") ? search(">", at + 3) : -1;
        case "?":
          return search("?>", at + 2);
        case "/":
          return match(CLOSING_TAG, at);
        default:
          return match(OPEN_TAG, at);
      }
    },
  };
}
