import { age, ago, atLeastDollars, count, dollars, duration, megabytes, percent, plural, tokens } from "./numbers.ts";
import { reasonText } from "./reason-text.ts";
import { shortPaths } from "./short-paths.ts";

/** Numbers, paths and reasons as people read them: every output of Phasekit uses these. */
export const words = {
  age,
  ago,
  atLeastDollars,
  count,
  dollars,
  duration,
  megabytes,
  percent,
  plural,
  reasonText,
  shortPaths,
  tokens,
} as const;
