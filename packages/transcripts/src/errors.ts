import { PhasekitError } from "@phasekit/core";

/** No format knows the transcript, or there is none of the name that was asked for. */
export function unknownFormat(wanted: string | undefined, known: readonly string[]): PhasekitError<"UNKNOWN_FORMAT"> {
  return wanted === undefined
    ? new PhasekitError("UNKNOWN_FORMAT", "No format knows this transcript.", { hint: `Name its format if it has one of these: ${known.join(", ")}.` })
    : new PhasekitError("UNKNOWN_FORMAT", `There is no format "${wanted}".`, { hint: `Use one of: ${known.join(", ")}.` });
}

/** A packed file unpacks to more than it may. */
export function tooLargeUnpacked(path: string, bytes: number): PhasekitError<"TOO_LARGE_UNPACKED"> {
  return new PhasekitError("TOO_LARGE_UNPACKED", `"${path}" was given up after it had unpacked to ${String(bytes)} bytes.`, {
    hint: "If you trust the file, raise `maxUnpacked` and `maxRatio`.",
  });
}
