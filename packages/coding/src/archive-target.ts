import { PhasekitError } from "@phasekit/core";
import type { RunStore } from "@phasekit/ledger";
import type { KeepOptions } from "@phasekit/ledger/keep";

/**
 * Returns where a run is stored: a store, or a folder with the way to keep the run in it. Also checks what plain
 * JavaScript may pass.
 *
 * @throws INVALID_OPTION
 */
export function archiveTarget(archive: unknown, keep: unknown): RunStore | KeepOptions | undefined {
  if (archive !== undefined && keep !== false)
    throw wrongOption("keep", "`archive` already says where the run is stored; pass one of the two");
  if (typeof archive === "string" && archive !== "") return { folder: archive, quiet: true };
  if (isStore(archive)) return archive;
  if (archive !== undefined)
    throw wrongOption("archive", "it must be a store, such as createFileStore(folder), or the path of a folder");
  if (keep === false || keep === undefined) return undefined;
  if (keep === true) return {};
  if (typeof keep === "object" && keep !== null) return keep;
  throw wrongOption("keep", "it must be true, false or an object of options");
}

function isStore(value: unknown): value is RunStore {
  return typeof (value as Partial<RunStore> | null | undefined)?.append === "function";
}

function wrongOption(option: string, problem: string): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError("INVALID_OPTION", `The option "${option}" is wrong: ${problem}.`, {
    hint: "See the options of codingRun in the README of @phasekit/coding.",
  });
}
