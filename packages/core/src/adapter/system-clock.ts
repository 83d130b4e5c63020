/** The clock of the machine, for adapters that time calls and were given no other. */
// eslint-disable-next-line no-restricted-properties -- the default clock
export const systemClock = (): number => Date.now();
