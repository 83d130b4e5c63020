const ABORTS: readonly string[] = ["AbortError", "APIUserAbortError", "ResponseAborted"];

/** True if a thrown value means that the host gave up waiting. Libraries have their own names for it. */
export function isAbort(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, constructor } = error as {
    readonly name?: unknown;
    readonly constructor?: { readonly name?: unknown };
  };
  return ABORTS.includes(String(name)) || ABORTS.includes(String(constructor?.name));
}
