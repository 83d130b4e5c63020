import { type ByteText, bytesToText, textToBytes } from "./byte-text.ts";

/** Names and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

const BOM = "\xEF\xBB\xBF";

/**
 * Returns the value of a JSON file; an empty file is an empty object.
 * @throws SyntaxError
 */
export function parseJsonBytes(bytes: ByteText): unknown {
  const text = bytesToText(bytes).replace(/^\uFEFF/, "");
  return text.trim() === "" ? {} : JSON.parse(text);
}

/**
 * Sets one value of a JSON file and leaves every other byte as it is: spaces, line ends, duplicate names, numbers of
 * any size. A new member or element goes to the end, in the layout of the file; missing objects on the way are added.
 */
export function setInJson(bytes: ByteText, path: JsonPath, value: unknown): ByteText {
  let text = rootOf(bytes) >= bytes.length ? `${bytes.startsWith(BOM) ? BOM : ""}{}\n` : bytes;
  for (let depth = 1; depth < path.length; depth += 1)
    if (find(text, path.slice(0, depth)) === undefined) text = setOne(text, path.slice(0, depth), {});
  return setOne(text, path, value);
}

/** Removes one member or element with its comma, and leaves every other byte as it is. */
export function removeInJson(bytes: ByteText, path: JsonPath): ByteText {
  const place = find(bytes, path);
  if (place === undefined) return bytes;
  const { items, index, item, open, close } = place;
  const [before, after] = [items[index - 1], items[index + 1]];
  if (before !== undefined) return splice(bytes, [before.end, item.end], "");
  if (after !== undefined) return splice(bytes, [item.start, after.start], "");
  return splice(bytes, [open + 1, close], "");
}

/** Removes one member, and the objects on the way to it that are empty then. */
export function pruneInJson(bytes: ByteText, path: JsonPath): ByteText {
  const isAlone = path.length > 1 && find(bytes, path)?.items.length === 1;
  return isAlone ? pruneInJson(bytes, path.slice(0, -1)) : removeInJson(bytes, path);
}

/** A member or element. */
interface Item {
  readonly name: string | undefined;
  /** Where its name, or else its value, begins. */
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

/** An object or list. */
interface Container {
  readonly open: number;
  readonly close: number;
  readonly items: readonly Item[];
}

interface Place extends Container {
  readonly item: Item;
  readonly index: number;
}

function setOne(bytes: ByteText, path: JsonPath, value: unknown): ByteText {
  const place = find(bytes, path);
  const style = styleOf(bytes);
  if (place !== undefined) {
    const { value: start, end } = place.item;
    return splice(bytes, [start, end], print(value, style, indentAt(bytes, start)));
  }
  const above = path.length === 1 ? rootOf(bytes) : find(bytes, path.slice(0, -1))?.item.value;
  if (above === undefined) throw new Error(`Nothing is at ${JSON.stringify(path.slice(0, -1))}.`);
  return append(bytes, above, { name: path.at(-1), value, style });
}

function append(
  bytes: ByteText,
  above: number,
  {
    name,
    value,
    style,
  }: { readonly name: string | number | undefined; readonly value: unknown; readonly style: Style },
): ByteText {
  const { items, open, close } = containerAt(bytes, above);
  const last = items.at(-1);
  const isEmptyRoot = last === undefined && open === rootOf(bytes);
  const written = (indent: string, colon: string, how: Style): ByteText =>
    (typeof name === "string" ? textToBytes(JSON.stringify(name)) + colon : "") + print(value, how, indent);
  if (!style.hasLines && !isEmptyRoot) {
    const space = last === undefined ? "" : `,${spaceBefore(bytes, last.start)}`;
    const colon = last?.name === undefined ? ":" : bytes.slice(endOfText(bytes, last.start), last.value);
    return splice(bytes, [last?.end ?? open + 1, last?.end ?? close], space + written("", colon, style));
  }
  const lines: Style = { ...style, hasLines: true };
  const outer = indentAt(bytes, open);
  const lead = last === undefined ? "" : spaceBefore(bytes, last.start);
  const inner = lead.includes("\n") ? lead.slice(lead.lastIndexOf("\n") + 1) : outer + style.unit;
  const added = style.lineEnd + inner + written(inner, ": ", lines);
  return last === undefined
    ? splice(bytes, [open + 1, close], added + style.lineEnd + outer)
    : splice(bytes, [last.end, last.end], `,${added}`);
}

/** How a file is laid out. */
interface Style {
  readonly unit: string;
  readonly lineEnd: string;
  /** False if the whole file is one line. */
  readonly hasLines: boolean;
}

function styleOf(bytes: ByteText): Style {
  return {
    unit: /\n([ \t]+)\S/.exec(bytes)?.[1] ?? "  ",
    lineEnd: bytes.includes("\r\n") ? "\r\n" : "\n",
    hasLines: bytes.trimEnd().includes("\n"),
  };
}

function print(value: unknown, { unit, lineEnd, hasLines }: Style, indent: string): ByteText {
  if (!hasLines) return textToBytes(JSON.stringify(value));
  return textToBytes(JSON.stringify(value, null, unit)).replaceAll("\n", lineEnd + indent);
}

function splice(bytes: ByteText, [start, end]: readonly [number, number], text: ByteText): ByteText {
  return bytes.slice(0, start) + text + bytes.slice(end);
}

/** The place of a value; undefined if there is none. Of members with one name the last counts, as for every reader. */
function find(bytes: ByteText, path: JsonPath): Place | undefined {
  let at = rootOf(bytes);
  let place: Place | undefined;
  for (const step of path) {
    if (bytes[at] !== (typeof step === "number" ? "[" : "{")) return undefined;
    const container = containerAt(bytes, at);
    const { items } = container;
    const index = typeof step === "number" ? step : items.findLastIndex(({ name }) => name === step);
    const item = items[index];
    if (item === undefined) return undefined;
    place = { ...container, item, index };
    at = item.value;
  }
  return place;
}

// The functions below read bytes that are JSON: `parseJsonBytes` accepted them. None of them is recursive.

const isSpace = (mark: string | undefined): boolean => mark === " " || mark === "\n" || mark === "\r" || mark === "\t";

function skipSpace(bytes: ByteText, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function spaceBefore(bytes: ByteText, end: number): string {
  let start = end;
  while (isSpace(bytes[start - 1])) start -= 1;
  return bytes.slice(start, end);
}

function rootOf(bytes: ByteText): number {
  return skipSpace(bytes, bytes.startsWith(BOM) ? BOM.length : 0);
}

/** The spaces and tabs at the start of a line. */
function indentAt(bytes: ByteText, at: number): string {
  const start = bytes.lastIndexOf("\n", at) + 1;
  let end = start;
  while (bytes[end] === " " || bytes[end] === "\t") end += 1;
  return bytes.slice(start, end);
}

function containerAt(bytes: ByteText, open: number): Container {
  const items: Item[] = [];
  const isNamed = bytes[open] === "{";
  let at = skipSpace(bytes, open + 1);
  while (at < bytes.length && bytes[at] !== "}" && bytes[at] !== "]") {
    const start = at;
    let name: string | undefined;
    if (isNamed) {
      const end = endOfText(bytes, at);
      name = nameAt(bytes, at, end);
      at = skipSpace(bytes, skipSpace(bytes, end) + 1);
    }
    const end = endOfValue(bytes, at);
    items.push({ name, start, value: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === ",") at = skipSpace(bytes, at + 1);
  }
  return { open, close: at, items };
}

/** A name of plain characters is as it is written. */
function nameAt(bytes: ByteText, start: number, end: number): string {
  const name = bytes.slice(start + 1, end - 1);
  return /^[\w-]*$/.test(name) ? name : (JSON.parse(bytesToText(bytes.slice(start, end))) as string);
}

function endOfText(bytes: ByteText, start: number): number {
  let at = bytes.indexOf('"', start + 1);
  while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf('"', at + 1);
  return at < 0 ? bytes.length : at + 1;
}

function isEscaped(bytes: ByteText, at: number): boolean {
  let start = at;
  while (bytes[start - 1] === "\\") start -= 1;
  return (at - start) % 2 === 1;
}

function endOfValue(bytes: ByteText, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const mark = bytes[at];
    if (mark === '"') at = endOfText(bytes, at);
    else {
      if (mark === "{" || mark === "[") depth += 1;
      else if (mark === "}" || mark === "]") depth -= 1;
      at += 1;
      // A number or a word ends before the next mark.
      if (depth === 0 && mark !== "}" && mark !== "]")
        while (at < bytes.length && !isSpace(bytes[at]) && !",]}".includes(bytes[at] ?? "")) at += 1;
    }
  } while (depth > 0 && at < bytes.length);
  return at;
}
