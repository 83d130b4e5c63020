/** Returns the day of a time where the user is: 2026-01-31; `undefined` if the time is not known. */
export function dayOf(at: number): string | undefined {
  if (!(at > 0)) return undefined;
  const date = new Date(at);
  return [
    String(date.getFullYear()),
    String(date.getMonth() + 1).padStart(2, "0"),
    String(date.getDate()).padStart(2, "0"),
  ].join("-");
}
