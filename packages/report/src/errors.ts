import { PhasekitError } from "@phasekit/core";

/** Thrown if there is no run to show, or a log does not start with `run.started`. */
export function emptyReport(): PhasekitError<"EMPTY_REPORT"> {
  return new PhasekitError("EMPTY_REPORT", "The report has no run to show.", {
    hint: "Pass at least one log that starts with `run.started`: `renderReport([await readRun(store, id)])`.",
  });
}

/** Thrown if the argument is not a list of runs. */
export function notRuns(): PhasekitError<"NOT_RUNS"> {
  return new PhasekitError("NOT_RUNS", "The first argument must be a list of runs, each a list of events.", {
    hint: "For one run, write `renderReport([events])`.",
  });
}

/** Thrown if the events of a log contradict each other. */
export function unreadableRun(run: string, cause: unknown): PhasekitError<"UNREADABLE_RUN"> {
  return new PhasekitError("UNREADABLE_RUN", `Cannot read the log of run "${run}".`, {
    hint: "The log is damaged or written by a later version. Check your runs with `phasekit doctor`.",
    cause,
  });
}

/** Thrown if the host of `serveRuns` is not a loopback address. */
export function notLoopback(host: string): PhasekitError<"NOT_LOOPBACK"> {
  return new PhasekitError("NOT_LOOPBACK", `serveRuns does not listen on "${host}": it is not a loopback address.`, {
    hint: "Use 127.0.0.1, ::1 or localhost. To reach it from another machine, use a tunnel: `ssh -L`.",
  });
}

/** Thrown if other users can write to the folder for answers to reviews. */
export function unsafeInbox(folder: string): PhasekitError<"UNSAFE_INBOX"> {
  return new PhasekitError("UNSAFE_INBOX", `Other users can write to "${folder}", so its answers cannot be trusted.`, {
    hint: "Restrict it with `chmod 700 <folder>`, or omit the folder to use the default.",
  });
}
