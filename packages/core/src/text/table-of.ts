/**
 * A table without a prototype: a name it does not list is not there, "constructor" and "__proto__" included. For tables
 * that are looked up by names from outside; `pnpm check` refuses a plain object for that.
 *
 * @example
 * const UNITS: Readonly<Record<string, number>> = tableOf({ s: 1000, m: 60_000 });
 */
/* @__NO_SIDE_EFFECTS__ */
export function tableOf<T extends object>(members: T): T {
  return Object.assign(Object.create(null) as T, members);
}
