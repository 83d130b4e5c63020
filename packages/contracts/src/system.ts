import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";

/** The time and the identifiers a shell takes when it is given none. Nothing pure imports this. */
// eslint-disable-next-line no-restricted-properties -- the one default of the `clock` option
export const systemClock = (): number => Date.now();

/** 128 random bits: the identifier of a review is all that a judge needs to answer it. */
export const randomId = (): string => bytesToHex(randomBytes(16));

/** A time as it is stored. */
export function isoTime(now: number): string {
  return new Date(now).toISOString();
}
