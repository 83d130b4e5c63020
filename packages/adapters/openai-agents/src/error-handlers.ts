import type { Reason } from "@phasekit/core";
import { shieldRun, tableOf, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";

/** Why a run ended, by the name of the error a handler answers. Two copies of the SDK may be loaded. */
const REASONS: Readonly<Record<string, Reason>> = tableOf({
  MaxTurnsExceededError: "step_limit",
  ModelRefusalError: "content_filtered",
});

type Handler = (input: unknown) => unknown;

/**
 * Wraps the caller's `errorHandlers`: a final output made from an error is not a finish of the agent, and the run ends
 * with the reason of the error. Without handlers the error itself ends the run.
 */
export function watchErrorHandlers(invocation: Invocation, options: object): object {
  const { errorHandlers } = toObject(options);
  if (errorHandlers === undefined) return {};
  const watched = Object.entries(toObject(errorHandlers)).map(([kind, handler]) => {
    if (typeof handler !== "function") return [kind, handler] as const;
    const watch: Handler = async (input) => {
      const output: unknown = await (handler as Handler)(input);
      if (output !== undefined) endWith(invocation, toObject(input)["error"]);
      return output;
    };
    return [kind, watch] as const;
  });
  return { errorHandlers: Object.fromEntries(watched) };
}

function endWith(invocation: Invocation, error: unknown): void {
  invocation.handled = true;
  const { run } = invocation;
  const reason = REASONS[String(toObject(error)["name"])] ?? "validation_giveup";
  shieldRun(run).attempt(
    "errorHandlers",
    () => run.view.stopped === undefined && run.stop({ by: "host", reason, how: "halt" }),
    false,
  );
}
