import { join } from "node:path";
import type { FileSystem } from "./file-system.ts";
import type { RunFolder } from "./run-folder.ts";
import { parseSegmentName, segmentName } from "./segment-format.ts";

const NOTE = /^(\d{6})-(\d{4,8})\.begun$/;

/**
 * Notes beside the record of its writer that a segment was begun, when its name is on the disk: a log and its mark that
 * both vanish are missed then. The name says it all, so that an empty note is as good. Best effort.
 */
export function noteSegment(files: FileSystem, folder: RunFolder, segment: string): void {
  const { epoch, part } = parseSegmentName(segment) ?? { epoch: 0, part: 0 };
  const name = `${String(epoch).padStart(6, "0")}-${String(part).padStart(4, "0")}.begun`;
  try {
    files.close(files.create(join(folder.epochs, name)));
  } catch {
    // Without it a loss of all files is not seen; nothing else depends on it.
  }
}

/**
 * The segments that were begun, as far as anything says so. Asked before the log is listed, for a writer may continue.
 */
export function notedSegments(files: FileSystem, folder: RunFolder): readonly string[] {
  return files
    .names(folder.epochs)
    .flatMap((name) => {
      const [, epoch, part] = NOTE.exec(name) ?? [];
      return epoch === undefined ? [] : [segmentName({ epoch: Number(epoch), part: Number(part) })];
    })
    .sort();
}
