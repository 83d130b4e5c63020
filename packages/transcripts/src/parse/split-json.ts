import type { TranscriptRecord } from "../transcript-format.ts";
import { leadsInto, type SplitPaths } from "./walk-document.ts";

/** Takes one large JSON document apart as it comes in. */
export interface JsonSplitter {
  readonly push: (chunk: string) => void;
  readonly end: () => void;
}

const QUOTE = 34;
const BACKSLASH = 92;

interface Container {
  readonly isList: boolean;
  /** The step to the member at hand: an index, or a name once it was read. */
  step: string | number | undefined;
}

/**
 * Returns a splitter with the same output as `walkDocument` for the whole document. It buffers one record of at most
 * `maxLength` characters. A longer record, or one that is not JSON, is reported and skipped.
 */
export function createJsonSplitter(
  paths: SplitPaths,
  {
    maxLength,
    give,
    broken,
  }: {
    readonly maxLength: number;
    readonly give: (piece: TranscriptRecord) => void;
    readonly broken: (why: string, path: TranscriptRecord["path"]) => void;
  },
): JsonSplitter {
  const containers: Container[] = [];
  let state: "between" | "name" | "value" | "over" = "between";
  // The text at hand: a member's name, or a piece.
  let parts: string[] = [];
  let length = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let tooLong = false;
  let behind = false;

  const isInString = (): boolean => inString;
  const place = (): TranscriptRecord["path"] => containers.map(({ step }) => step ?? "");

  function keep(part: string): void {
    length += part.length;
    if (length > maxLength) {
      tooLong = true;
      parts = [];
    } else parts.push(part);
  }

  function takeText(): string {
    const text = parts.join("");
    parts = [];
    length = 0;
    return text;
  }

  function finishPiece(): void {
    const wasTooLong = tooLong;
    const text = takeText();
    tooLong = false;
    state = "between";
    if (wasTooLong) broken(`longer than ${String(maxLength)} characters`, place());
    else {
      try {
        give({ path: place(), value: JSON.parse(text) as unknown });
      } catch {
        broken("broken JSON", place());
      }
    }
    if (containers.length === 0) state = "over";
  }

  /** One character between pieces; the index of the next one to look at. */
  function between(chunk: string, index: number): number {
    const mark = chunk[index];
    const inner = containers.at(-1);
    switch (mark) {
      case " ":
      case "\n":
      case "\r":
      case "\t":
      case "\uFEFF":
      case ":":
        return index + 1;
      case ",":
        if (inner !== undefined) inner.step = inner.isList ? Number(inner.step) + 1 : undefined;
        return index + 1;
      case "}":
      case "]":
        containers.pop();
        if (containers.length === 0) state = "over";
        return index + 1;
      default:
        break;
    }
    if (mark === '"' && inner !== undefined && !inner.isList && inner.step === undefined) {
      state = "name";
      keep('"');
      return index + 1;
    }
    if ((mark === "{" || mark === "[") && leadsInto(paths, place())) {
      containers.push({ isList: mark === "[", step: mark === "[" ? 0 : undefined });
      return index + 1;
    }
    state = "value";
    depth = 0;
    return index;
  }

  /** Goes through a string to its end; the index behind it, or the chunk's end. */
  function throughString(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index += 1) {
      if (escaped) {
        escaped = false;
        continue;
      }
      const code = chunk.charCodeAt(index);
      if (code === BACKSLASH) escaped = true;
      else if (code === QUOTE) {
        inString = false;
        return index + 1;
      }
    }
    return chunk.length;
  }

  function throughName(chunk: string, from: number): number {
    inString = true;
    const end = throughString(chunk, from);
    keep(chunk.slice(from, end));
    if (isInString()) return end;
    const inner = containers.at(-1);
    const name = tooLong ? "" : readName(takeText());
    length = 0;
    tooLong = false;
    if (inner !== undefined) inner.step = name;
    state = "between";
    return end;
  }

  /** Goes through a piece; strings are skipped over, brackets counted. */
  function throughValue(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length) {
      if (inString) {
        index = throughString(chunk, index);
        if (!isInString() && depth === 0) return close(chunk, from, index);
        continue;
      }
      const mark = chunk[index];
      if (mark === '"') inString = true;
      else if (mark === "{" || mark === "[") depth += 1;
      else if (mark === "}" || mark === "]") {
        // After a number, the bracket closes the container of the number.
        if (depth === 0) return close(chunk, from, index);
        depth -= 1;
        if (depth === 0) return close(chunk, from, index + 1);
      } else if (depth === 0 && (mark === "," || mark === "\n" || mark === " ")) return close(chunk, from, index);
      index += 1;
    }
    keep(chunk.slice(from));
    return index;
  }

  function close(chunk: string, from: number, to: number): number {
    keep(chunk.slice(from, to));
    finishPiece();
    return to;
  }

  return {
    push: (chunk) => {
      let index = 0;
      while (index < chunk.length && state !== "over") {
        if (state === "name") index = throughName(chunk, index);
        else if (state === "value") index = throughValue(chunk, index);
        else index = between(chunk, index);
      }
      behind ||= state === "over" && /\S/.test(chunk.slice(index));
    },
    end: () => {
      if (behind) broken("text behind the document", []);
      if (state === "value") finishPiece();
      if (containers.length > 0) broken("the document is cut off", place());
    },
  };
}

function readName(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
