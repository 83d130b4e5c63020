import type { NewEvent } from "../events/run-event.ts";
import { tableOf } from "../text/table-of.ts";

const UNITS = ["requests", "tokens"] as const;

/** Turns the rate-limit headers of an answer into events. `now` is the time of the answer. */
export function quotaToEvents(
  header: (name: string) => string | null | undefined,
  now: number,
): readonly NewEvent<"quota.observed">[] {
  return UNITS.flatMap((unit) => {
    const remaining = toNumber(header(`x-ratelimit-remaining-${unit}`));
    if (remaining === undefined) return [];
    const limit = toNumber(header(`x-ratelimit-limit-${unit}`));
    const reset = toMs(header(`x-ratelimit-reset-${unit}`));
    return [
      {
        type: "quota.observed",
        remaining,
        unit,
        ...(limit !== undefined && { limit }),
        ...(reset !== undefined && { resetAt: now + reset }),
      },
    ];
  });
}

function toNumber(text: string | null | undefined): number | undefined {
  const number = text === null || text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const MS: Readonly<Record<string, number>> = tableOf({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/** Durations as providers write them: `6m0s`, `1.5s`, `20ms`. */
function toMs(text: string | null | undefined): number | undefined {
  const parts = [...(text ?? "").matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  return parts.length === 0
    ? undefined
    : parts.reduce((sum, [, value, unit = ""]) => sum + Number(value) * (MS[unit] ?? 0), 0);
}
