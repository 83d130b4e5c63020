const ABORTS: readonly string[] = ["AbortError", "APIUserAbortError", "ResponseAborted"];

/** Whether a thrown value means that the host gave up waiting. Libraries have their own names for it, some only as a class. */
export function isAbort(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, constructor } = error as { readonly name?: unknown; readonly constructor?: { readonly name?: unknown } };
  return ABORTS.includes(String(name)) || ABORTS.includes(String(constructor?.name));
}
