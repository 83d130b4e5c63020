import { type LooseObject, toObject } from "@phasekit/core/adapter";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { HookPaths } from "../client/hook-paths.ts";

/** The events that found no server. */
export interface SpoolFiles {
  /** True if there are events to read. Asked for every event, so it looks at one file only. */
  readonly isFilled: () => boolean;
  /**
   * Gives every event to a function, in the order they came, and removes a file once the function said for all its
   * events that the store has them. A file that is not removed is read again later.
   */
  readonly read: (take: (event: LooseObject) => Promise<boolean>) => Promise<number>;
}

export interface SpoolOptions {
  readonly onError: (problem: unknown) => void;
  readonly clock: () => number;
}

/** A store that refused events is not asked again before this time. */
const RETRY_MS = 5000;

/**
 * A spool is renamed before it is read, because hooks append to it meanwhile. Its new name is one that the next server
 * looks for, so a server that is killed in between loses nothing.
 */
export function openSpool({ spool }: Pick<HookPaths, "spool">, { onError, clock }: SpoolOptions): SpoolFiles {
  const folder = dirname(spool);
  const name = basename(spool);
  // Earlier versions put the number of the process there.
  const isTaken = (candidate: string): boolean => candidate.startsWith(`${name}.`) && /\.\d+$/.test(candidate);
  const numberOf = (candidate: string): number => Number(candidate.slice(candidate.lastIndexOf(".") + 1));
  const ageOf = (candidate: string): number =>
    statSync(join(folder, candidate), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  let files = namesIn(folder)
    .filter(isTaken)
    .sort((a, b) => ageOf(a) - ageOf(b));
  let retryAt = 0;

  function takeOver(): void {
    if (!existsSync(spool)) return;
    const next = `${name}.${String(Math.max(0, ...namesIn(folder).filter(isTaken).map(numberOf)) + 1)}`;
    renameSync(spool, join(folder, next));
    files = [...files, next];
  }

  return {
    isFilled: () => (files.length > 0 && clock() >= retryAt) || existsSync(spool),
    read: async (take) => {
      takeOver();
      let count = 0;
      const left: string[] = [];
      for (const file of files) {
        let isStored = true;
        for (const event of eventsIn(join(folder, file), onError)) {
          if (!(await take(event))) isStored = false;
          count += 1;
        }
        if (isStored) rmSync(join(folder, file), { force: true, recursive: true });
        else left.push(file);
      }
      files = left;
      retryAt = clock() + RETRY_MS;
      return count;
    },
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A torn line is left out; the ones after it count all the same. */
function eventsIn(file: string, onError: SpoolOptions["onError"]): readonly LooseObject[] {
  try {
    return readFileSync(file, "utf8").split("\n").flatMap(parsedLine);
  } catch (error) {
    onError(error);
    return [];
  }
}

function parsedLine(line: string): readonly LooseObject[] {
  try {
    return [toObject(JSON.parse(line))];
  } catch {
    return [];
  }
}
