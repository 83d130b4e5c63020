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

interface SplitterOptions {
  readonly maxLength: number;
  readonly give: (piece: TranscriptRecord) => void;
  readonly broken: (why: string, path: TranscriptRecord["path"]) => void;
}

/**
 * Returns a splitter with the same output as `walkDocument` for the whole document. It buffers one record of at most
 * `maxLength` characters. A longer record, or one that is not JSON, is reported and skipped.
 */
export function createJsonSplitter(paths: SplitPaths, options: SplitterOptions): JsonSplitter {
  return new Splitter(paths, options);
}

class Splitter implements JsonSplitter {
  readonly #paths: SplitPaths;
  readonly #maxLength: number;
  readonly #give: (piece: TranscriptRecord) => void;
  readonly #broken: (why: string, path: TranscriptRecord["path"]) => void;
  readonly #containers: Container[] = [];
  #state: "between" | "name" | "value" | "over" = "between";
  // The text at hand: a member's name, or a piece.
  #parts: string[] = [];
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #tooLong = false;
  #behind = false;

  constructor(paths: SplitPaths, { maxLength, give, broken }: SplitterOptions) {
    this.#paths = paths;
    this.#maxLength = maxLength;
    this.#give = give;
    this.#broken = broken;
  }

  readonly push: JsonSplitter["push"] = (chunk) => {
    let index = 0;
    while (index < chunk.length && this.#state !== "over") {
      if (this.#state === "name") index = this.#throughName(chunk, index);
      else if (this.#state === "value") index = this.#throughValue(chunk, index);
      else index = this.#between(chunk, index);
    }
    this.#behind ||= this.#state === "over" && /\S/.test(chunk.slice(index));
  };

  readonly end: JsonSplitter["end"] = () => {
    if (this.#behind) this.#broken("text behind the document", []);
    if (this.#state === "value") this.#finishPiece();
    if (this.#containers.length > 0) this.#broken("the document is cut off", this.#place());
  };

  #isInString(): boolean {
    return this.#inString;
  }

  #place(): TranscriptRecord["path"] {
    return this.#containers.map(({ step }) => step ?? "");
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#maxLength) {
      this.#tooLong = true;
      this.#parts = [];
    } else this.#parts.push(part);
  }

  #takeText(): string {
    const text = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    return text;
  }

  #finishPiece(): void {
    const wasTooLong = this.#tooLong;
    const text = this.#takeText();
    this.#tooLong = false;
    this.#state = "between";
    if (wasTooLong) this.#broken(`longer than ${String(this.#maxLength)} characters`, this.#place());
    else {
      try {
        this.#give({ path: this.#place(), value: JSON.parse(text) as unknown });
      } catch {
        this.#broken("broken JSON", this.#place());
      }
    }
    if (this.#containers.length === 0) this.#state = "over";
  }

  /** One character between pieces; the index of the next one to look at. */
  #between(chunk: string, index: number): number {
    const mark = chunk[index];
    const inner = this.#containers.at(-1);
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
        this.#containers.pop();
        if (this.#containers.length === 0) this.#state = "over";
        return index + 1;
      default:
        break;
    }
    if (mark === '"' && inner !== undefined && !inner.isList && inner.step === undefined) {
      this.#state = "name";
      this.#keep('"');
      return index + 1;
    }
    if ((mark === "{" || mark === "[") && leadsInto(this.#paths, this.#place())) {
      this.#containers.push({ isList: mark === "[", step: mark === "[" ? 0 : undefined });
      return index + 1;
    }
    this.#state = "value";
    this.#depth = 0;
    return index;
  }

  /** Goes through a string to its end; the index behind it, or the chunk's end. */
  #throughString(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index += 1) {
      if (this.#escaped) {
        this.#escaped = false;
        continue;
      }
      const code = chunk.charCodeAt(index);
      if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#inString = false;
        return index + 1;
      }
    }
    return chunk.length;
  }

  #throughName(chunk: string, from: number): number {
    this.#inString = true;
    const end = this.#throughString(chunk, from);
    this.#keep(chunk.slice(from, end));
    if (this.#isInString()) return end;
    const inner = this.#containers.at(-1);
    const name = this.#tooLong ? "" : readName(this.#takeText());
    this.#length = 0;
    this.#tooLong = false;
    if (inner !== undefined) inner.step = name;
    this.#state = "between";
    return end;
  }

  /** Goes through a piece; strings are skipped over, brackets counted. */
  #throughValue(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length) {
      if (this.#inString) {
        index = this.#throughString(chunk, index);
        if (!this.#isInString() && this.#depth === 0) return this.#close(chunk, from, index);
        continue;
      }
      const mark = chunk[index];
      if (mark === '"') this.#inString = true;
      else if (mark === "{" || mark === "[") this.#depth += 1;
      else if (mark === "}" || mark === "]") {
        // After a number, the bracket closes the container of the number.
        if (this.#depth === 0) return this.#close(chunk, from, index);
        this.#depth -= 1;
        if (this.#depth === 0) return this.#close(chunk, from, index + 1);
      } else if (this.#depth === 0 && (mark === "," || mark === "\n" || mark === " "))
        return this.#close(chunk, from, index);
      index += 1;
    }
    this.#keep(chunk.slice(from));
    return index;
  }

  #close(chunk: string, from: number, to: number): number {
    this.#keep(chunk.slice(from, to));
    this.#finishPiece();
    return to;
  }
}

function readName(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
