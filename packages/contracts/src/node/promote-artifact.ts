import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, readdir, rename, unlink } from "node:fs/promises";
import type { PromotionRequest, PromotionResult } from "../items/deliver-hooks.ts";
import { promotionProblem } from "../contract/relative-path.ts";
import { hashContent } from "../sha256.ts";
import { type FileRefusal, type HeldFolder, holdFolder, readRegularFile, refusalOf } from "./safe-files.ts";

/** Options for `createPromoter()`. */
export interface PromoterOptions {
  /** Root of the paths in claims. Nothing outside is written. */
  readonly root: string;
  /** Mode of the files. Never executable. @default 0o644 */
  readonly mode?: 0o644 | 0o600;
}

const MAX_BYTES = 1_048_576;

/**
 * Creates a function that copies accepted artifacts to permanent paths. It writes the copy from claim time, by its
 * hash, to a temporary file and then moves it atomically. It never writes through a link, and replaces a file with
 * other content only if the claim named its hash.
 */
export function createPromoter({
  root,
  mode = 0o644,
}: PromoterOptions): (request: PromotionRequest) => Promise<PromotionResult> {
  return async ({ text, hash, to, base, allowed }) => {
    const problem = promotionProblem(to, allowed);
    if (problem !== undefined) return { ok: false, ...problem };
    if (hashContent(text) !== hash)
      return { ok: false, reason: "other-content", detail: "the text does not have the accepted hash" };
    if (Buffer.byteLength(text) > MAX_BYTES)
      return { ok: false, reason: "too-large", detail: `it has more than ${MAX_BYTES} bytes` };
    const parts = to.split("/");
    const name = parts.at(-1) ?? "";
    const folder = await holdFolder(root, parts.slice(0, -1), { create: true });
    if ("ok" in folder) return folder;
    try {
      return await place(folder, { name, text, hash, base, mode });
    } finally {
      await folder.close();
    }
  };
}

interface PlacementRequest {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
  readonly base: string | null;
  readonly mode: number;
}

async function place(folder: HeldFolder, { name, text, hash, base, mode }: PlacementRequest): Promise<PromotionResult> {
  const existing = await lookAt(folder, name);
  if ("ok" in existing) return existing;
  if (existing.hash === hash) return { ok: true };
  if (existing.hash !== undefined && existing.hash !== base) {
    return {
      ok: false,
      reason: "exists",
      detail: "a file with other content exists; to replace it, set promote_base_hash to its hash",
    };
  }
  const temporary = folder.at(`.phasekit-${randomBytes(12).toString("hex")}`);
  try {
    const handle = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    try {
      await handle.writeFile(text, "utf8");
      // Set the mode regardless of the umask.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (existing.hash === undefined) {
      // `link` fails atomically if the name exists; `rename` would replace the file.
      await link(temporary, folder.at(name));
    } else {
      await rename(temporary, folder.at(name));
    }
    return { ok: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      return { ok: false, reason: "exists", detail: "another process created a file there at the same time" };
    return refusalOf(error, name);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** Returns the hash of the file at a name, undefined if there is none, or a refusal. */
async function lookAt(folder: HeldFolder, name: string): Promise<FileRefusal | { readonly hash: string | undefined }> {
  const twin = (await readdir(folder.at("."))).find((other) => other !== name && fold(other) === fold(name));
  if (twin !== undefined)
    return { ok: false, reason: "exists", detail: `${JSON.stringify(twin)} is the same name on some systems` };
  try {
    const stats = await lstat(folder.at(name));
    if (stats.isSymbolicLink()) return { ok: false, reason: "link", detail: "it is a link" };
    if (!stats.isFile()) return { ok: false, reason: "not-a-file", detail: "it is not a regular file" };
    if (stats.nlink > 1) return { ok: false, reason: "link", detail: "the file has other hard links" };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? { hash: undefined } : refusalOf(error, name);
  }
  const read = await readRegularFile(folder.at(name), { maxBytes: MAX_BYTES });
  if (!read.ok) return read;
  return { hash: hashContent(Buffer.from(read.bytes).toString("utf8")) };
}

/** Folds a name as file systems do that ignore case or compose letters. */
function fold(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC");
}
