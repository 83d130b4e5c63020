/** The clock of the machine: the default where no other is given. */
// eslint-disable-next-line no-restricted-properties -- the default clock
export const systemClock = (): number => Date.now();
