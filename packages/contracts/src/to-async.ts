/** Converts a synchronous function to an asynchronous one. An error becomes a rejection. */
export function toAsync<TArguments extends readonly unknown[], T>(
  work: (...given: TArguments) => T,
): (...given: TArguments) => Promise<T> {
  // oxlint-disable-next-line typescript/require-await -- turning a throw into a rejection is all it is for
  return async (...given) => work(...given);
}
