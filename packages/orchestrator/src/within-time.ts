import type { Schedule } from "./system.ts";

/** What came first: the value, an error, or the end of the time. */
export type Timed<T> = { readonly how: "value"; readonly value: T } | { readonly how: "error"; readonly error: unknown } | { readonly how: "late" };

/** Waits for work at most so long. Never rejects; what comes later is nobody's. */
export async function withinTime<T>(work: Promise<T>, ms: number, schedule: Schedule): Promise<Timed<T>> {
  let cancel = (): void => undefined;
  const late = new Promise<Timed<T>>((resolve) => {
    cancel = schedule(ms, () => resolve({ how: "late" }));
  });
  const settled = work.then<Timed<T>, Timed<T>>((value) => ({ how: "value", value }), (error: unknown) => ({ how: "error", error }));
  const first = await Promise.race([settled, late]);
  cancel();
  return first;
}
