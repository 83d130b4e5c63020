import type { LoadedConfig } from "./load-config.ts";

/** Presets that `policy` can name instead of a file. */
export const PRESETS: readonly string[] = ["coding", "watchdog", "gates", "none"];

/** Returns the preset that judges runs under a config; `undefined` if code of the user does. */
export function presetOf({
  config: { run, policy = "coding" },
  policyFile,
}: Pick<LoadedConfig, "config" | "policyFile">): string | undefined {
  if (run !== undefined || policyFile !== undefined) return undefined;
  return PRESETS.includes(policy) ? policy : "coding";
}
