/** Makes a function that answers at once one that answers with a promise: what it throws becomes a rejection. */
export function promised<TArguments extends readonly unknown[], T>(work: (...given: TArguments) => T): (...given: TArguments) => Promise<T> {
  // eslint-disable-next-line @typescript-eslint/require-await -- turning a throw into a rejection is all it is for
  return async (...given) => work(...given);
}
