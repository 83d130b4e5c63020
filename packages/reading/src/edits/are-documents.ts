import { kindOfFile } from "@phasekit/core/account";

/** True if there are files, and every one of them is a document: people read it, and no program does. */
export function areDocuments(files: readonly string[]): boolean {
  return files.length > 0 && files.every((file) => kindOfFile(file) === "documents");
}
