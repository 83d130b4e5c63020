import { type Json, normalizeJson } from "./json.ts";

/** How many characters of the free parts of an event are kept. */
export interface ClipLimits {
  /** Of a tool call's input, over all its strings. @default 16384 */
  readonly input?: number;
  /** Of a tool call's output: half from its beginning, half from its end. @default 4096 */
  readonly output?: number;
  /** Of any other text: messages, reasons, summaries. @default 2048 */
  readonly text?: number;
}

export const DEFAULT_CLIP: Required<ClipLimits> = { input: 16_384, output: 4096, text: 2048 };

/** Keeps the beginning and the end of a text, and says how much was cut between them. */
export function clipText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // The note itself counts, so that a clipped text is never clipped again. Without room for it, it is left out.
  const room = limit - NOTE;
  if (room < 0) return wholeHead(text.slice(0, limit));
  const head = text.slice(0, Math.ceil(room / 2));
  const tail = text.slice(text.length - Math.floor(room / 2));
  const cut = text.length - head.length - tail.length;
  return `${wholeHead(head)}\n… [${String(cut)} characters cut] …\n${wholeTail(tail)}`;
}

/**
 * Brings a JSON value under a number of characters while keeping its shape: long strings are clipped first, and only
 * when that is not enough are members left out. A value under the limit comes back as it is.
 */
export function clipJson({ value, size }: { readonly value: Json; readonly size: number }, limit: number): Json {
  if (size <= limit) return value;
  if (typeof value === "string") return clipText(value, limit);
  const perString = Math.max(64, Math.floor(limit / 4));
  // The marks of what is missing take room too. The rest shrinks until all of it fits, so nothing is clipped twice.
  for (let left = Math.floor(limit * 0.75); left > 0; left = Math.floor(left / 2)) {
    const shrunk = shrink(value, { left, perString });
    if (normalizeJson(shrunk).size <= limit) return shrunk;
  }
  const rest = shrink(value, { left: 0, perString });
  return normalizeJson(rest).size <= limit ? rest : null;
}

interface Room {
  left: number;
  readonly perString: number;
}

function shrink(value: Json, room: Room): Json {
  if (typeof value === "string") {
    const kept = clipText(value, Math.min(room.perString, Math.max(64, room.left)));
    room.left -= kept.length;
    return kept;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value as readonly Json[]) {
      if (room.left <= 0) return [...items, `[${String(value.length - items.length)} more]`];
      items.push(shrink(item, room));
    }
    return items;
  }
  const members: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (room.left <= 0) {
      members["[more]"] = true;
      break;
    }
    room.left -= key.length;
    // own key: "__proto__" is left out when a value becomes JSON.
    members[key] = shrink(member, room);
  }
  return members;
}

/** Room for the note on what was cut. */
const NOTE = 40;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
/** A beginning that does not end in half a character. */
export const wholeHead = (text: string): string =>
  isHigh(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
const wholeTail = (text: string): string => (isLow(text.charCodeAt(0)) ? text.slice(1) : text);
