import { invalidOption } from "../errors.ts";

/** The range options must be in; both ends belong to it. */
export interface NumberRange {
  /** @default 0 */
  readonly atLeast?: number;
  /** @default no upper end */
  readonly atMost?: number;
}

/**
 * Refuses options that are not numbers in a range. An absent option is the caller's to leave out.
 *
 * @throws INVALID_OPTION with the name and the value of the first one.
 */
export function assertNumbers(
  options: Readonly<Record<string, unknown>>,
  { atLeast = 0, atMost = Infinity }: NumberRange = {},
): void {
  for (const [name, value] of Object.entries(options))
    if (!(typeof value === "number" && value >= atLeast && value <= atMost))
      throw invalidOption(
        name,
        `${typeof value === "string" ? JSON.stringify(value) : String(value)} is ${wanted(atLeast, atMost)}`,
      );
}

const wanted = (atLeast: number, atMost: number): string =>
  atMost === Infinity ? `not a number of at least ${atLeast}` : `not a number between ${atLeast} and ${atMost}`;

/**
 * Refuses options that a function does not have: a misspelled one would do nothing. Without a list of names, the
 * options are what is left when the known ones are taken out.
 *
 * @throws INVALID_OPTION with the name of the first one.
 */
export function assertNames(options: object, names: readonly string[] = []): void {
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw invalidOption(name, names.length > 0 ? `there is only ${names.join(", ")}` : "there is no such option");
}
