import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { tooLargeUnpacked } from "../errors.ts";
import { createTextDecoder } from "./text-decoder.ts";

/** How much a packed file may hold. */
export interface ReadTextOptions {
  /** Bytes a packed file may unpack to. @default 4294967296 */
  readonly maxUnpacked?: number;
  /** How many times its size a packed file may unpack to, once that is more than 64 MiB. @default 200 */
  readonly maxRatio?: number;
  /** Told how many bytes of the file were read. */
  readonly onRead?: (bytes: number) => void;
}

/** Twice the sample a format is told by, so that the first chunk nearly always holds it. */
const CHUNK = 512 * 1024;
/** A file without a size, such as those of `/proc`, still has content. */
const SMALL = 4096;
const RATIO_FROM = 64 * 1024 * 1024;

/**
 * The text of a file as it is read: UTF-8, or UTF-16 when it begins with that byte order mark. A file that begins like
 * gzip is unpacked, whatever its name; one that unpacks to more than the limits allow is given up, in time and with
 * nothing more than a chunk in memory.
 * @throws TOO_LARGE_UNPACKED
 */
export async function* readText(path: string, options: ReadTextOptions = {}): AsyncGenerator<string> {
  const decoder = createTextDecoder();
  for await (const chunk of readBytes(path, options)) yield decoder.decode(chunk);
  yield decoder.end();
}

/** A chunk is only good until the next one is asked for. */
async function* readBytes(path: string, options: ReadTextOptions): AsyncGenerator<Uint8Array> {
  const facts = statSync(path);
  if (!facts.isFile()) {
    // A pipe keeps its reader waiting, and waiting must not hold up everybody else.
    yield* readStream(path, options);
    return;
  }
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(facts.size, SMALL)));
    // Reading a chunk takes a fraction of the time of parsing it; to hand it to another thread would take longer.
    const next = (): Uint8Array => buffer.subarray(0, readSync(file, buffer));
    const first = next();
    if (first[0] === 0x1f && first[1] === 0x8b) {
      yield* unpack(path, options);
      return;
    }
    for (let chunk = first; chunk.length > 0; chunk = next()) {
      options.onRead?.(chunk.length);
      yield chunk;
      // Between two chunks others have their turn: timers, a Ctrl-C.
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* readStream(path: string, { onRead }: ReadTextOptions): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    onRead?.(chunk.length);
    yield chunk;
  }
}

async function* unpack(path: string, { maxUnpacked = 4 * 1024 ** 3, maxRatio = 200, onRead }: ReadTextOptions): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path, { highWaterMark: CHUNK });
  const unpacking = createGunzip({ chunkSize: CHUNK });
  let read = 0;
  let unpacked = 0;
  source.on("error", (error) => unpacking.destroy(error));
  source.on("data", (chunk) => {
    read += chunk.length;
    onRead?.(chunk.length);
  });
  source.pipe(unpacking);
  try {
    for await (const chunk of unpacking as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      if (unpacked > maxUnpacked || (unpacked > RATIO_FROM && unpacked > read * maxRatio)) throw tooLargeUnpacked(path, unpacked);
      yield chunk;
    }
  } finally {
    unpacking.destroy();
    source.destroy();
  }
}
