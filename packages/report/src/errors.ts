import { PhasekitError } from "@phasekit/core";

/** A report was asked for without a run to show, or of a log without its beginning. */
export function emptyReport(): PhasekitError<"EMPTY_REPORT"> {
  return new PhasekitError("EMPTY_REPORT", "There is no run to show.", { hint: "Pass at least one log that begins with run.started." });
}

/** A report was asked for with something that is no list of runs. */
export function notRuns(): PhasekitError<"NOT_RUNS"> {
  return new PhasekitError("NOT_RUNS", "A report takes a list of runs, each of them a list of events.", { hint: "For one run write renderReport([events])." });
}

/** The live view was to listen on an address that others can reach. */
export function notLoopback(host: string): PhasekitError<"NOT_LOOPBACK"> {
  return new PhasekitError("NOT_LOOPBACK", `The live view does not listen on "${host}".`, {
    hint: "Use 127.0.0.1, ::1 or localhost, and a tunnel of your own to reach it from elsewhere.",
  });
}
