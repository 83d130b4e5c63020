import type { EndOptions, RunPort } from "../run/run.ts";
import type { RunSource } from "./run-source.ts";
import { shieldRun } from "./shield-run.ts";

/**
 * Ends the run of a call that is over, if a function returned it for that call. A run that the caller passed itself
 * stays open: its owner ends it. The first end counts.
 */
export function endOwnRun(source: RunSource<never>, run: RunPort, options: EndOptions = {}): void {
  if (typeof source === "function") shieldRun(run).attempt("end", () => run.end(options), false);
}

/** Sets the run of a call aside, if a function returned it for that call and the call waits for a person. */
export function suspendOwnRun(source: RunSource<never>, run: RunPort, why: string): void {
  if (typeof source === "function") shieldRun(run).attempt("suspend", () => run.suspend({ why }), false);
}
