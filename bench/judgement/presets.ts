import { codingRun, type CodingRunOptions } from "@phasekit/coding";
import type { Run } from "@phasekit/core";
import { escalation, stall } from "@phasekit/watchdog";

/** Creates the run that a recorded run is played through. */
export type Preset = (options: CodingRunOptions) => Run;

const codingPreset = (options: CodingRunOptions): Run => codingRun(options) as unknown as Run;

/** Sets of policies to compare, by name. */
const PRESETS: Readonly<Record<string, Preset>> = {
  /** `codingRun()` as it is; its stop is the cautious one. */
  default: codingPreset,
};

/** The names `findPreset` takes, for messages. */
export const presetNames: readonly string[] = [
  ...Object.keys(PRESETS),
  "stop@<level of the stall to stop at>",
  "unreviewed@<the same, without asking for a review before>",
  "alert@<level of the stall to alert at>",
];

/** The levels to choose from when parts are left out. */
export const LEFT_OUT_PRESETS: readonly string[] = [8, 9, 10, 11, 12, 14, 16, 18, 20].map(
  (level) => `stop@${String(level)}`,
);

/** A preset by name; `stop@8` is `codingRun()` that stops at level 8. */
export function findPreset(name: string): Preset | undefined {
  const [, what, given] = /^(stop|unreviewed|alert)@(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  const level = Number(given);
  if (what === "stop" || what === "unreviewed") {
    const reviews = what === "stop";
    return (options) => codingPreset({ ...options, policies: [escalation({ stopAt: level, reviews })] });
  }
  if (what === "alert") return (options) => codingPreset({ ...options, policies: [stall({ alertAt: level })] });
  return PRESETS[name];
}
