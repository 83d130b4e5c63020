/** Abort signal of a runtime without DOM or Node types. */
interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once?: boolean }) => void;
  readonly removeEventListener: (type: "abort", listener: () => void) => void;
}

/** The runtime's own `AbortSignal`, so that it fits `fetch` and every framework. */
export type AgentSignal = typeof globalThis extends { AbortSignal: { prototype: infer TSignal } }
  ? TSignal
  : SignalLike;

/** Calls `wake` after some milliseconds, unless the function it returns is called first. */
export type Schedule = (ms: number, wake: () => void) => () => void;

interface Runtime {
  readonly setTimeout: (wake: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly AbortController: new () => { readonly signal: AgentSignal; readonly abort: (reason?: unknown) => void };
}

// eslint-disable-next-line no-restricted-globals -- default of the `schedule` option, and source of abort signals
const runtime = globalThis as unknown as Runtime;

/** Longest delay that a timer supports. */
const LONGEST = 2_147_483_647;

/** System timer: the default of the `schedule` option. */
export const systemSchedule: Schedule = (ms, wake) => {
  const timer = runtime.setTimeout(wake, Math.min(Math.max(0, ms), LONGEST));
  return () => runtime.clearTimeout(timer);
};

/** Creates a signal and the function that aborts it. */
export function createSignal(): { readonly signal: AgentSignal; readonly abort: (reason?: unknown) => void } {
  const controller = new runtime.AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
