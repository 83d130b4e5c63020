/** True if a value is a promise or looks like one. May throw if a host's object throws when it is read. */
export function isThenable(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"
  );
}

/** Waits for a promise whose value is not needed, so that its rejection does not end the process. Never throws. */
export function settleQuietly(promise: unknown, onRejected: (error: unknown) => void = () => undefined): void {
  new Promise((resolve) => {
    resolve(promise);
  }).then(undefined, onRejected);
}

/** Throws for an answer that is a promise: answers must be synchronous here. */
export function refusePromise(answer: unknown, who: string): void {
  if (!isThenable(answer)) return;
  settleQuietly(answer);
  throw new TypeError(`it returned a promise: ${who} synchronously`);
}
