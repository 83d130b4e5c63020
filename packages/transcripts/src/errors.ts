import { PhasekitError } from "@phasekit/core";

/** No format matches the transcript, or there is no format with the given name. */
export function unknownFormat(wanted: string | undefined, known: readonly string[]): PhasekitError<"UNKNOWN_FORMAT"> {
  return wanted === undefined
    ? new PhasekitError("UNKNOWN_FORMAT", "Phasekit does not recognize the format of this transcript.", {
        hint: `If it has one of these formats, set the option "format": ${known.join(", ")}.`,
      })
    : new PhasekitError("UNKNOWN_FORMAT", `There is no format "${wanted}".`, {
        hint: `Use one of: ${known.join(", ")}.`,
      });
}

/** A compressed file is larger than allowed when unpacked. */
export function tooLargeUnpacked(path: string, bytes: number): PhasekitError<"TOO_LARGE_UNPACKED"> {
  return new PhasekitError(
    "TOO_LARGE_UNPACKED",
    `"${path}" is too large: stopped after unpacking ${String(bytes)} bytes.`,
    {
      hint: "If you trust the file, raise `maxUnpacked` and `maxRatio`.",
    },
  );
}

/** A compressed file needs a newer Node to be unpacked. */
export function cannotUnpack(path: string): PhasekitError<"CANNOT_UNPACK"> {
  return new PhasekitError("CANNOT_UNPACK", `"${path}" is compressed with zstd, which this Node cannot unpack.`, {
    hint: "Use Node 22.15 or newer, or unpack the file first: `zstd -d <file>`.",
  });
}

/** The database of a tool cannot be read. */
export function unreadableStore(path: string, why: string, cause?: unknown): PhasekitError<"UNREADABLE_STORE"> {
  return new PhasekitError("UNREADABLE_STORE", `Cannot read the sessions in "${path}": ${why}.`, {
    hint: "Export a session and name the file: `opencode export <session> > session.json`.",
    cause,
  });
}
