/** Members of a runtime outside the language, as far as sending needs them. */
interface Host {
  readonly fetch?: Fetch;
  readonly setTimeout?: (work: () => void, ms: number) => unknown;
  readonly AbortSignal?: { readonly timeout?: (ms: number) => unknown };
  readonly crypto?: { readonly subtle?: Subtle };
  readonly btoa: (binary: string) => string;
  readonly atob: (text: string) => string;
  readonly TextEncoder: new () => { readonly encode: (text: string) => Uint8Array };
  readonly process?: {
    readonly once?: (event: "beforeExit", work: () => void) => unknown;
    readonly off?: (event: "beforeExit", work: () => void) => unknown;
  };
}

/** The part of `fetch` that sending needs. */
export type Fetch = (
  url: string,
  request: {
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer>;
    readonly signal?: never;
  },
) => Promise<{ readonly ok: boolean; readonly status: number; readonly text: () => Promise<string> }>;

/** The part of Web Crypto that signing needs. */
interface Subtle {
  readonly importKey: (
    ...given: readonly [
      "raw",
      Uint8Array,
      { readonly name: "HMAC"; readonly hash: "SHA-256" },
      false,
      readonly ["sign"],
    ]
  ) => Promise<unknown>;
  readonly sign: (algorithm: "HMAC", key: unknown, data: Uint8Array) => Promise<ArrayBuffer>;
}

// eslint-disable-next-line no-restricted-globals -- what every runtime has under its own name
export const host = globalThis as unknown as Host;

/** Waits without keeping the process alive, where the runtime can tell the difference. */
export function waitQuietly(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = host.setTimeout?.(resolve, ms) as { readonly unref?: () => void } | undefined;
    timer?.unref?.();
  });
}

/**
 * Runs work once when the process has nothing else to do; returns the function that takes it back. More than once would
 * keep a process alive for as long as a receiver is down.
 */
export function atExit(work: () => void): () => void {
  host.process?.once?.("beforeExit", work);
  return () => {
    host.process?.off?.("beforeExit", work);
  };
}
