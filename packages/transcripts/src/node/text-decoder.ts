import { StringDecoder } from "node:string_decoder";

/** Turns bytes into text as they come; a character may be cut between two chunks. */
export interface ChunkDecoder {
  readonly decode: (chunk: Uint8Array) => string;
  /** What is left of a character that was cut off. */
  readonly end: () => string;
}

/** A decoder for UTF-8, or for UTF-16 when the first bytes say so. The byte order mark is left out. */
export function createTextDecoder(): ChunkDecoder {
  let decoder: ChunkDecoder | undefined;
  return {
    decode: (chunk) => {
      if (decoder !== undefined) return decoder.decode(chunk);
      decoder = decoderFor(chunk);
      const text = decoder.decode(chunk);
      return text.startsWith("\uFEFF") ? text.slice(1) : text;
    },
    end: () => decoder?.end() ?? "",
  };
}

function decoderFor([first, second]: Uint8Array): ChunkDecoder {
  if (first === 0xff && second === 0xfe) return stringDecoder("utf16le");
  if (first === 0xfe && second === 0xff) return bigEndian();
  return stringDecoder("utf8");
}

/** Of what Node offers for chunks, this is several times as fast as `TextDecoder`. */
function stringDecoder(encoding: "utf8" | "utf16le"): ChunkDecoder {
  const decoder = new StringDecoder(encoding);
  return { decode: (chunk) => decoder.write(chunk), end: () => decoder.end() };
}

function bigEndian(): ChunkDecoder {
  const decoder = new TextDecoder("utf-16be");
  return { decode: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() };
}
