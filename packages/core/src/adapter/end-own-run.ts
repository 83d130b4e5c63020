import type { EndOptions, RunPort } from "../run/run.ts";
import type { RunSource } from "./run-source.ts";
import { shieldRun } from "./shield-run.ts";

/**
 * Ends the run of a call that is over, if a function returned it for that call, or sets it aside if the call waits for
 * a person. A run that the caller passed itself stays open: its owner ends it. The first end counts.
 */
export function endOwnRun(
  source: RunSource<never>,
  run: RunPort,
  options: EndOptions | { readonly waitsFor: string } = {},
): void {
  if (typeof source !== "function") return;
  shieldRun(run).attempt(
    "end",
    () => {
      if ("waitsFor" in options) run.suspend({ why: options.waitsFor });
      else run.end(options);
    },
    undefined,
  );
}
