import { PhasekitError } from "@phasekit/core";

/** An append did not begin where the log ends: another writer was faster, or the same step was sent twice. */
export function appendConflict(
  run: string,
  { after, end }: { readonly after: number; readonly end: number },
): PhasekitError<"APPEND_CONFLICT"> {
  return new PhasekitError(
    "APPEND_CONFLICT",
    `The log of run "${run}" ends at event ${String(end)}, not at ${String(after)}.`,
    {
      hint: "Read the log again: another writer appended, or this step is stored already.",
    },
  );
}

/** A run was created with the id of a stored one. */
export function runExists(run: string, cause: unknown): PhasekitError<"RUN_EXISTS"> {
  const fix = "leave out its `id`, or continue it with `resumeRun`";
  return new PhasekitError("RUN_EXISTS", `The run "${run}" is stored already: ${fix}.`, { cause });
}

/** The events of an append are not a continuation. */
export function invalidAppend(run: string, problem: string): PhasekitError<"INVALID_APPEND"> {
  return new PhasekitError("INVALID_APPEND", `The events for run "${run}" cannot be stored: ${problem}.`, {
    hint: "Append whole steps, in the order in which the run delivered them.",
  });
}

/** The store has no run with that id. */
export function unknownRun(run: string): PhasekitError<"UNKNOWN_RUN"> {
  return new PhasekitError("UNKNOWN_RUN", `There is no run "${run}" in the store.`, {
    hint: "Call `store.list()` to see the stored runs.",
  });
}

/** The run came to its end: nothing outside its work cut it short. */
export function notResumable(run: string, reason: string): PhasekitError<"NOT_RESUMABLE"> {
  return new PhasekitError("NOT_RESUMABLE", `Run "${run}" ended with "${reason}" and is not resumed as it is.`, {
    hint: `Reopen it: resumeRun(store, "${run}", { reopen: true }). docs/reasons.md lists what needs no reopening.`,
  });
}

/** A phase record has no cause for a failure, or has the wrong shape. */
export function invalidRecord(entry: string, problem: string): PhasekitError<"INVALID_RECORD"> {
  return new PhasekitError("INVALID_RECORD", `The phase record of "${entry}" is wrong: ${problem}.`, {
    hint: "A failed entry needs a reason, a compile kind or a predicate kind.",
  });
}

/** Events that were stored are gone or changed. */
export function damagedStore(
  run: string,
  { segment, byte, problem }: { readonly segment: string; readonly byte: number; readonly problem: string },
): PhasekitError<"STORE_DAMAGED"> {
  return new PhasekitError(
    "STORE_DAMAGED",
    `The log of run "${run}" is damaged in "${segment}" at byte ${String(byte)}: ${problem}.`,
    {
      hint: "store.salvage(id) reads what is left, with the gaps named; restore the folder from a backup for the rest.",
    },
  );
}

/** Another process writes this run. */
export function runLocked(run: string, holder: string): PhasekitError<"RUN_LOCKED"> {
  return new PhasekitError("RUN_LOCKED", `Run "${run}" is being written by ${holder}.`, {
    hint: "Wait until it ends. If that process is gone, open the store with `takeOver: true`.",
  });
}

/** Another writer took the run over while this one was still writing. */
export function writerSuperseded(run: string): PhasekitError<"WRITER_SUPERSEDED"> {
  return new PhasekitError("WRITER_SUPERSEDED", `Another process took over the log of run "${run}".`, {
    hint: "Stop this run. Phasekit sets aside what it wrote since, and does not mix it into the log.",
  });
}

/** The folder of a run was removed while it was being written. */
export function runRemoved(run: string): PhasekitError<"RUN_REMOVED"> {
  return new PhasekitError("RUN_REMOVED", `The folder of run "${run}" was removed while the run was being written.`, {
    hint: "Its stored events are gone. Restore the folder from a backup, or start a new run.",
  });
}

/** The file that a run is written to was removed, renamed, cut or replaced meanwhile. */
export function logLost(run: string, segment: string, problem: string): PhasekitError<"LOG_LOST"> {
  return new PhasekitError(
    "LOG_LOST",
    `The log file "${segment}" of run "${run}" was changed while the run was being written: ${problem}.`,
    {
      hint: "No later event was acknowledged at level disk. Put the file back and resume the run, or start a new one.",
    },
  );
}

/** The disk refused a write. */
export function storeUnavailable(run: string, cause: unknown): PhasekitError<"STORE_UNAVAILABLE"> {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new PhasekitError("STORE_UNAVAILABLE", `The log of run "${run}" could not be written: ${message}.`, {
    hint: "Acknowledged events are not lost. Free space or repair the disk, then append the same events again.",
    cause,
  });
}

/** A folder of the store, or something in it, cannot be read. */
export function storeUnreadable(path: string, cause: unknown): PhasekitError<"STORE_UNREADABLE"> {
  return new PhasekitError(
    "STORE_UNREADABLE",
    `"${path}" could not be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    {
      hint: "Give this process read access to the folder and its files. Phasekit changed nothing.",
      cause,
    },
  );
}

/** The folder of the store is not safe for logs. */
export function unsafeDirectory(path: string, problem: string): PhasekitError<"UNSAFE_DIRECTORY"> {
  return new PhasekitError("UNSAFE_DIRECTORY", `"${path}" cannot hold logs: ${problem}.`, {
    hint: "Use a folder that only you can write to, such as one with mode 0700.",
  });
}

/**
 * Passed to `onError` of a file store, not thrown: the folder is on another machine, where a store can promise less.
 */
export function remoteFolder(path: string): PhasekitError<"REMOTE_FOLDER"> {
  return new PhasekitError("REMOTE_FOLDER", `"${path}" is on another machine.`, {
    hint: "Its server decides what reaches the disk, and a takeover may be noticed late. Keep runs on a local disk.",
  });
}

/** An archive file differs from its summary. */
export function damagedArchive(name: string, problem: string): PhasekitError<"ARCHIVE_DAMAGED"> {
  return new PhasekitError("ARCHIVE_DAMAGED", `The archive file "${name}" cannot be used: ${problem}.`, {
    hint: "Export the archive again from the run's log.",
  });
}

/** The store was closed. */
export function storeClosed(): PhasekitError<"STORE_CLOSED"> {
  return new PhasekitError("STORE_CLOSED", "The store has been closed.", { hint: "Create a new store." });
}

/** An option is invalid. */
export function invalidStoreOption(option: string, problem: string): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError("INVALID_OPTION", `The option "${option}" is wrong: ${problem}.`, {
    hint: "See the documentation of the function's options.",
  });
}
