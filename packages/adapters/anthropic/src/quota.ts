import type { NewEvent } from "@phasekit/core";
import { quotaToEvents } from "@phasekit/core/adapter";

/** Turns the API's rate-limit headers into events. It sends the time of a reset, not the seconds until it. */
export function quotaEvents(
  header: (name: string) => string | null | undefined,
  now: number,
): readonly NewEvent<"quota.observed">[] {
  return quotaToEvents((name) => {
    const [kind = "", unit = ""] = name.split("-").slice(2);
    const value = header(`anthropic-ratelimit-${unit}-${kind}`);
    if (kind !== "reset" || typeof value !== "string") return value;
    const at = Date.parse(value);
    return Number.isNaN(at) ? undefined : `${Math.max(0, at - now)}ms`;
  }, now);
}
