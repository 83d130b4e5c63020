import { isObject } from "./loose-object.ts";

/** Checks a value that came from outside; true if it has the type. */
export type ValueCheck<T> = (value: unknown) => value is T;

/** The most items of a list and members of a map. */
const MAX_ITEMS = 1000;
/** The last time a `Date` can hold; nothing that is counted comes near it. */
const MAX_NUMBER = 8.64e15;

/**
 * Checks for values of a known type that are read back, such as cached summaries: the first part that differs makes the
 * answer false. They build nothing and look at described parts only, so they cost little.
 *
 * @example
 * const { fields, text, optional, number } = valueChecks;
 * const isHead = fields<{ readonly folder: string; readonly at?: number }>({ folder: text, at: optional(number) });
 */
export const valueChecks = {
  text: (value: unknown): value is string => typeof value === "string",
  /** A finite number that fits into a date, so that no later calculation overflows. */
  number: (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= MAX_NUMBER,
  flag: (value: unknown): value is boolean => typeof value === "boolean",
  /** One of the names of an object: a word that is missing there does not compile. */
  oneOf:
    <T extends string>(words: Readonly<Record<T, true>>): ValueCheck<T> =>
    (value): value is T =>
      typeof value === "string" && Object.hasOwn(words, value),
  /** A list of up to 1,000 items, or as many as given. */
  list:
    <T>(check: ValueCheck<T>, max: number = MAX_ITEMS): ValueCheck<T[]> =>
    (value): value is T[] =>
      Array.isArray(value) && value.length <= max && value.every(check),
  /** An object of up to 1,000 members of one type. */
  map:
    <T>(check: ValueCheck<T>): ValueCheck<Readonly<Record<string, T>>> =>
    (value): value is Readonly<Record<string, T>> => {
      if (!isObject(value)) return false;
      const members = Object.values(value);
      return members.length <= MAX_ITEMS && members.every(check);
    },
  /** A member that may be missing. */
  optional:
    <T>(check: ValueCheck<T>): ValueCheck<T> =>
    (value): value is T =>
      value === undefined || check(value),
  /** An object; every member of the type needs a check. */
  fields: <T extends object>(checks: { readonly [K in keyof T]-?: ValueCheck<T[K]> }): ValueCheck<T> => {
    const entries = Object.entries<ValueCheck<unknown>>(checks);
    return (value): value is T =>
      isObject(value) && entries.every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined));
  },
} as const;
