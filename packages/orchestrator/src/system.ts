/** What a runtime without our types offers of an abort signal. */
interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once?: boolean }) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

/** The runtime's own `AbortSignal`, so that it fits `fetch` and every framework. */
export type AgentSignal = typeof globalThis extends { AbortSignal: { prototype: infer TSignal } } ? TSignal : SignalLike;

/** Calls `wake` after some milliseconds, unless the function it returns is called first. */
export type Schedule = (ms: number, wake: () => void) => () => void;

interface Runtime {
  readonly setTimeout: (wake: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly AbortController: new () => { readonly signal: AgentSignal; readonly abort: (reason?: unknown) => void };
}

// eslint-disable-next-line no-restricted-globals -- the one default of the `schedule` option, and the one maker of signals
const runtime = globalThis as unknown as Runtime;

/** The longest time a timer of any runtime can wait for. */
const LONGEST = 2_147_483_647;

/** The timer of the machine: the default of the `schedule` option. */
export const systemSchedule: Schedule = (ms, wake) => {
  const timer = runtime.setTimeout(wake, Math.min(Math.max(0, ms), LONGEST));
  return () => runtime.clearTimeout(timer);
};

/** A signal and the function that raises it. */
export function createSignal(): { readonly signal: AgentSignal; readonly abort: (reason?: unknown) => void } {
  const controller = new runtime.AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
