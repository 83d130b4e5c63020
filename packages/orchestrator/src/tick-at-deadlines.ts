import type { Run } from "@phasekit/core";
import type { Schedule } from "./conversation/runtime-defaults.ts";

/** Ticks a run at its deadlines. Returns a function that stops it. */
export function tickAtDeadlines(
  run: Run,
  { schedule, clock }: { readonly schedule: Schedule; readonly clock: () => number },
): () => void {
  let armed: number | undefined;
  let cancel = (): void => undefined;
  const arm = (): void => {
    const { wakeAt } = run;
    if (wakeAt === armed) return;
    cancel();
    armed = wakeAt;
    if (wakeAt !== undefined) cancel = schedule(wakeAt - clock(), wake);
  };
  const wake = (): void => {
    armed = undefined;
    run.tick(clock());
    arm();
  };
  const unsubscribe = run.subscribe(arm);
  arm();
  return () => {
    unsubscribe();
    cancel();
  };
}
