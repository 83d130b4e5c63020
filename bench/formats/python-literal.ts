import { tableOf } from "@phasekit/core/adapter";
/**
 * Reads a value as Python prints it: dictionaries, lists, tuples, texts in either quote, numbers, True, False, None.
 * `undefined` when the text is none.
 */
export function parsePythonLiteral(text: string): unknown {
  const reader = createReader(text);
  const value = reader.value(0);
  reader.blanks();
  return reader.failed() || !reader.atEnd() ? undefined : value;
}

const MAX_DEPTH = 100;
const NAMES: Readonly<Record<string, unknown>> = tableOf({ True: true, False: false, None: null });
const ESCAPES: Readonly<Record<string, string>> = tableOf({
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
});

function createReader(text: string) {
  let place = 0;
  let wrong = false;

  function blanks(): void {
    while (/\s/.test(text[place] ?? "")) place += 1;
  }

  function fail(): undefined {
    wrong = true;
    return undefined;
  }

  function value(depth: number): unknown {
    blanks();
    const mark = text[place];
    if (wrong || mark === undefined || depth > MAX_DEPTH) return fail();
    if (mark === "{") return dictionary(depth);
    if (mark === "[" || mark === "(") return list(depth, mark === "[" ? "]" : ")");
    if (mark === "'" || mark === '"') return string(mark);
    const word = /^(?:-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|True|False|None)/.exec(text.slice(place, place + 40))?.[0];
    if (word === undefined) return fail();
    place += word.length;
    return word in NAMES ? NAMES[word] : Number(word.replaceAll("_", ""));
  }

  function dictionary(depth: number): Readonly<Record<string, unknown>> | undefined {
    const members: [string, unknown][] = [];
    place += 1;
    for (blanks(); text[place] !== "}"; blanks()) {
      const name = value(depth + 1);
      blanks();
      if (wrong || text[place] !== ":") return fail();
      place += 1;
      members.push([String(name), value(depth + 1)]);
      blanks();
      if (text[place] === ",") place += 1;
      else if (text[place] !== "}") return fail();
    }
    place += 1;
    return Object.fromEntries(members);
  }

  function list(depth: number, end: string): readonly unknown[] | undefined {
    const items: unknown[] = [];
    place += 1;
    for (blanks(); text[place] !== end; blanks()) {
      items.push(value(depth + 1));
      blanks();
      if (wrong) return undefined;
      if (text[place] === ",") place += 1;
      else if (text[place] !== end) return fail();
    }
    place += 1;
    return items;
  }

  function string(quote: string): string | undefined {
    let read = "";
    for (place += 1; text[place] !== quote; place += 1) {
      const mark = text[place];
      if (mark === undefined) return fail();
      if (mark !== "\\") read += mark;
      else read += escaped();
    }
    place += 1;
    return read;
  }

  function escaped(): string {
    place += 1;
    const mark = text[place] ?? "";
    const digits = mark === "x" ? 2 : mark === "u" ? 4 : 0;
    if (digits > 0) {
      const code = text.slice(place + 1, place + 1 + digits);
      place += digits;
      return /^[\da-fA-F]+$/.test(code) ? String.fromCharCode(parseInt(code, 16)) : "";
    }
    return ESCAPES[mark] ?? (mark === "'" || mark === '"' || mark === "\\" ? mark : `\\${mark}`);
  }

  return { value, blanks, failed: () => wrong, atEnd: () => place >= text.length };
}
