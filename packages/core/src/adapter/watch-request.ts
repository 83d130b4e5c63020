import type { RunPort } from "../run/run.ts";
import { quotaToEvents } from "./quota-to-events.ts";
import { shieldRun } from "./shield-run.ts";

/** The members of the libraries' promises that we use. Their own helpers extend a promise with `_thenUnwrap`. */
interface ApiPromise extends Promise<unknown> {
  readonly asResponse?: () => Promise<{ readonly headers?: { readonly get: (name: string) => string | null } }>;
  readonly _thenUnwrap?: (transform: (data: unknown) => unknown) => ApiPromise;
}

/** How an adapter handles the answer to a request. */
export interface RequestReader {
  /** Records the answer, or watches its stream. Returns what the caller gets. @default the answer as it is */
  readonly answered?: ((data: object, elapsed: () => number) => unknown) | undefined;
  readonly failed: (error: unknown, elapsed: () => number) => void;
  readonly clock: () => number;
}

/** Records the answer to a request of a provider's library, its failure, and the quota in its headers. */
export function watchRequest(
  run: RunPort,
  request: Promise<unknown>,
  { answered, failed, clock }: RequestReader,
): unknown {
  const { record, attempt } = shieldRun(run);
  const started = clock();
  const elapsed = (): number => clock() - started;
  const promise: ApiPromise = request;
  // Headers arrive before the body. Reading them leaves the body to the caller.
  void promise.asResponse?.().then(
    ({ headers }) =>
      attempt(
        "quota",
        () => {
          for (const event of quotaToEvents((name) => headers?.get(name), run.view.now)) record(event);
        },
        undefined,
      ),
    (error: unknown) => failed(error, elapsed),
  );
  if (answered === undefined) return promise;
  const see = (data: unknown): unknown => {
    if (typeof data === "object" && data !== null) return answered(data, elapsed);
    const message = "The answer is not a JSON object.";
    record({ type: "model.failed", inBody: true, message, durationMs: elapsed() });
    return data;
  };
  return promise._thenUnwrap === undefined ? promise.then(see) : promise._thenUnwrap(see);
}
