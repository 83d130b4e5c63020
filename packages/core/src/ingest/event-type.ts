/** True if a value is an event of this type. */
export function isEventOf(value: unknown, type: string): boolean {
  return typeof value === "object" && value !== null && typeOf(value) === type;
}

/** The type of an event; `undefined` if a host's object throws when it is read. */
export function typeOf(value: object): unknown {
  try {
    return (value as { readonly type?: unknown }).type;
  } catch {
    return undefined;
  }
}
