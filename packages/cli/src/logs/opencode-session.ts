import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Reads an opencode session as one document, in the shape of `opencode export`. On disk, messages and their parts are
 * separate files. A file that already is such a document is returned unchanged.
 */
export async function* readOpencode(path: string): AsyncGenerator<string, void, undefined> {
  const text = await readFile(path, "utf8");
  const storage = resolve(dirname(path), "..", "..");
  const session = basename(path, ".json");
  const messages = await filesOf(join(storage, "message", session));
  if (messages.length === 0) {
    yield text;
    return;
  }
  yield `{"info":${text},"messages":[`;
  for (const [index, message] of messages.entries()) {
    const parts = await filesOf(join(storage, "part", basename(message, ".json")));
    const texts = await Promise.all(parts.map((part) => readFile(part, "utf8")));
    yield `${index === 0 ? "" : ","}{"info":${await readFile(message, "utf8")},"parts":[${texts.join(",")}]}`;
  }
  yield "]}";
}

/** Returns the files of a folder; their names start with their creation time. */
async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder))
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
