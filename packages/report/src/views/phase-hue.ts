import { tableOf } from "@phasekit/core/adapter";
/** Hues of the phases that presets use, far apart from one another and from the red of failures. */
const KNOWN: Readonly<Record<string, number>> = tableOf({
  exploring: 255,
  planning: 305,
  acting: 75,
  verifying: 155,
  working: 255,
  reviewing: 200,
  waiting: 330,
  done: 130,
});
/** Red means failure, so no phase has a hue near it. */
const RED_END = 50;
const RED_START = 350;

/** Returns the hue of a phase: one name has one color on every page and in every run. */
export function phaseHue(phase: string): number {
  const known = KNOWN[phase];
  if (known !== undefined) return known;
  let hash = 0;
  for (const letter of phase) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  // Steps of the golden angle: names with neighboring hashes get distant hues.
  return RED_END + Math.round((hash * 0.618_033_988_75 * (RED_START - RED_END)) % (RED_START - RED_END));
}
