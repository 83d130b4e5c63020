import { isThenable, settleQuietly } from "./settle-quietly.ts";

/** Calls the host's `onError`. If that fails too, there is nothing left to do: the agent must not notice. */
export function createReporter(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      const answer: unknown = onError?.(error);
      if (isThenable(answer)) settleQuietly(answer);
    } catch {
      return;
    }
  };
}
