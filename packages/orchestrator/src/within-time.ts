import type { Schedule } from "./conversation/runtime-defaults.ts";

/** Result of `withinTime`: the value, an error, or a timeout. */
export type TimedResult<T> =
  | { readonly how: "value"; readonly value: T }
  | { readonly how: "error"; readonly error: unknown }
  | { readonly how: "late" };

/** Waits for work for at most `ms`. Never rejects. A later result is ignored. */
export async function withinTime<T>(work: Promise<T>, ms: number, schedule: Schedule): Promise<TimedResult<T>> {
  let cancel = (): void => undefined;
  const late = new Promise<TimedResult<T>>((resolve) => {
    cancel = schedule(ms, () => resolve({ how: "late" }));
  });
  const settled = work.then<TimedResult<T>, TimedResult<T>>(
    (value) => ({ how: "value", value }),
    (error: unknown) => ({ how: "error", error }),
  );
  const first = await Promise.race([settled, late]);
  cancel();
  return first;
}
