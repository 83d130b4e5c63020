import { basename, join } from "node:path";
import type { FileSystem } from "./file-system.ts";

const FOLDER = ".phasekit";
const TEXT = "# Runs have the texts of prompts, files and commands. Git ignores this folder, and this file too.\n*\n";

/** Puts a `.gitignore` into a folder `.phasekit`, unless it has one. A store works without it. */
export function keepFromGit(files: FileSystem, folder: string): void {
  const path = join(folder, ".gitignore");
  if (basename(folder) !== FOLDER || files.stat(path) !== undefined) return;
  try {
    const file = files.create(path);
    try {
      files.write(file, Buffer.from(TEXT));
    } finally {
      files.close(file);
    }
  } catch {
    // Another process may have made it, or the folder is read-only.
  }
}
