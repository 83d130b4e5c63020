import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { tooLargeUnpacked } from "../errors.ts";

/** How much a packed file may hold. */
export interface ReadTextOptions {
  /** Bytes a packed file may unpack to. @default 4294967296 */
  readonly maxUnpacked?: number;
  /** How many times its size a packed file may unpack to, once that is more than 64 MiB. @default 200 */
  readonly maxRatio?: number;
  /** Told how many bytes of the file were read. */
  readonly onRead?: (bytes: number) => void;
}

const CHUNK = 256 * 1024;
const RATIO_FROM = 64 * 1024 * 1024;

/**
 * The text of a file as it is read. A file that begins like gzip is unpacked, whatever its name; one that unpacks to
 * more than the limits allow is given up, in time and with nothing more than a chunk in memory.
 * @throws TOO_LARGE_UNPACKED
 */
export async function* readText(path: string, { maxUnpacked = 4 * 1024 ** 3, maxRatio = 200, onRead }: ReadTextOptions = {}): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8");
  const isPacked = await beginsLikeGzip(path);
  const source = createReadStream(path, { highWaterMark: CHUNK });
  const unpacking = isPacked ? createGunzip({ chunkSize: CHUNK }) : undefined;
  let read = 0;
  const count = (bytes: number): void => {
    read += bytes;
    onRead?.(bytes);
  };
  if (unpacking !== undefined) {
    source.on("error", (error) => unpacking.destroy(error));
    source.on("data", (chunk) => count(chunk.length));
    source.pipe(unpacking);
  }
  let unpacked = 0;
  try {
    for await (const chunk of (unpacking ?? source) as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      if (!isPacked) count(chunk.length);
      else if (unpacked > maxUnpacked || (unpacked > RATIO_FROM && unpacked > read * maxRatio)) throw tooLargeUnpacked(path, unpacked);
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } finally {
    unpacking?.destroy();
    source.destroy();
  }
}

async function beginsLikeGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
