import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as zlib from "node:zlib";
import { cannotUnpack, tooLargeUnpacked } from "../errors.ts";
import { createTextDecoder } from "./text-decoder.ts";

/** How much a packed file may hold. */
export interface ReadTextOptions {
  /** Bytes a packed file may unpack to. @default 4294967296 */
  readonly maxUnpacked?: number;
  /** How many times its size a packed file may unpack to, once that is more than 16 MiB. @default 200 */
  readonly maxRatio?: number;
  /** Called with the number of bytes read so far. */
  readonly onRead?: (bytes: number) => void;
}

/** Twice the size of the sample, so that the first chunk nearly always holds it. */
const CHUNK = 512 * 1024;
/** A file without a size, such as those of `/proc`, still has content. */
const SMALL = 4096;
const RATIO_FROM = 16 * 1024 * 1024;
const UNWRITTEN = Buffer.alloc(CHUNK);

/**
 * The text of a file as it is read: UTF-8, or UTF-16 when it begins with that byte order mark. A file that begins like
 * gzip or zstd is unpacked, whatever its name; one that unpacks to more than the limits allow is given up, in time and
 * with nothing more than a chunk in memory.
 * @throws TOO_LARGE_UNPACKED, CANNOT_UNPACK
 */
export async function* readText(path: string, options: ReadTextOptions = {}): AsyncGenerator<string> {
  const decoder = createTextDecoder();
  let wasEmpty = false;
  for await (const chunk of readBytes(path, options)) {
    // Of blocks that were never written the first tells enough: a sparse file may hold gigabytes of them.
    const isEmpty = Buffer.compare(chunk, UNWRITTEN.subarray(0, chunk.length)) === 0;
    if (!isEmpty || !wasEmpty) yield decoder.decode(chunk);
    wasEmpty = isEmpty;
  }
  yield decoder.end();
}

/** A chunk is only good until the next one is asked for. */
async function* readBytes(path: string, options: ReadTextOptions): AsyncGenerator<Uint8Array> {
  const events = statSync(path);
  if (!events.isFile()) {
    // A pipe keeps its reader waiting, and waiting must not hold up everybody else.
    yield* readStream(path, options);
    return;
  }
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(events.size, SMALL)));
    // Reading a chunk takes a fraction of the time of parsing it; to hand it to another thread would take longer.
    const next = (): Uint8Array => buffer.subarray(0, readSync(file, buffer));
    const first = next();
    const unpacker = unpackerFor(first, path);
    if (unpacker !== undefined) {
      yield* unpack(path, unpacker, options);
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

/**
 * The unpacker of a file that begins like gzip or zstd.
 * @throws CANNOT_UNPACK
 */
function unpackerFor(first: Uint8Array, path: string): Transform | undefined {
  if (first[0] === 0x1f && first[1] === 0x8b) return zlib.createGunzip({ chunkSize: CHUNK });
  if (first[0] !== 0x28 || first[1] !== 0xb5 || first[2] !== 0x2f || first[3] !== 0xfd) return undefined;
  // Node 20 does not have it.
  const { createZstdDecompress } = zlib as Partial<Pick<typeof zlib, "createZstdDecompress">>;
  if (createZstdDecompress === undefined) throw cannotUnpack(path);
  return createZstdDecompress({ chunkSize: CHUNK });
}

async function* unpack(
  path: string,
  unpacking: Transform,
  { maxUnpacked = 4 * 1024 ** 3, maxRatio = 200, onRead }: ReadTextOptions,
): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path, { highWaterMark: CHUNK });
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
      if (unpacked > maxUnpacked || (unpacked > RATIO_FROM && unpacked > read * maxRatio))
        throw tooLargeUnpacked(path, unpacked);
      yield chunk;
    }
  } finally {
    unpacking.destroy();
    source.destroy();
  }
}
