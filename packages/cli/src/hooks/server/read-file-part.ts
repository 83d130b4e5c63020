import { open, stat } from "node:fs/promises";

/** The size of a regular file. Rejects for anything else, since opening it could wait. */
export async function sizeOfFile(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`"${path}" is not a file.`);
  return found.size;
}

/** The text of a part of a file. */
export async function readFilePart(path: string, start: number, length: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
