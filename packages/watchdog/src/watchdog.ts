import type { Policy } from "@phasekit/core";
import { corrections, sameFailure } from "./limits/breakers.ts";
import { callTimeout, silence } from "./limits/clock.ts";
import { quotaFloor, upstreamErrors } from "./limits/provider.ts";
import { stall, type StallOptions } from "./stall/stall.ts";
import { chanting } from "./talk/chanting.ts";

/** A limit, named after the policy that reports it. */
type Limit = "silence" | "quota-floor" | "upstream-errors" | "stagnation" | "cumulative-loop";

/** Options for `limits()`. All optional. */
export interface LimitsOptions {
  /** Time without any event in a working phase. @default 1800000 */
  readonly silenceMs?: number;
  /** Time a tool call may take; a model call may take three times as long. @default 600000 */
  readonly callMs?: number;
  /** Quota that must remain, in the provider's unit, and at least 2 % of a known limit. @default 1 */
  readonly quotaFloor?: number;
  /** Errors of the provider that are tolerated. @default 10 */
  readonly upstreamErrors?: number;
  /** Equal failures among the last twelve of a sub-loop that open its breaker. @default 5 */
  readonly sameFailure?: number;
  /** Corrections in one sub-loop per phase entry, and 10/3 times as many in all of them. @default 60 */
  readonly corrections?: number;
  /** Phases in which silence means nothing, beside those that declare `waiting: true`. @default none */
  readonly waiting?: readonly string[];
  /** Limits that stop the run in mode `nudge` too: limits you set yourself. @default none */
  readonly stops?: readonly Limit[];
}

/**
 * Limits of a run: quota, provider, clock, and the two breakers for failures that come back. A limit is not a loop: it
 * says nothing about the agent's approach.
 */
export function limits({
  silenceMs = 1_800_000,
  callMs = 600_000,
  quotaFloor: floor = 1,
  upstreamErrors: errors = 10,
  sameFailure: equal = 5,
  corrections: perLoop = 60,
  waiting,
  stops = [],
}: LimitsOptions = {}): readonly Policy[] {
  const at = (value: number, limit: Limit) => ({ at: value, stops: stops.includes(limit) });
  const policies: readonly unknown[] = [
    sameFailure(at(equal, "stagnation")),
    corrections(at(perLoop, "cumulative-loop")),
    quotaFloor(at(floor, "quota-floor")),
    upstreamErrors(at(errors, "upstream-errors")),
    callTimeout(callMs),
    silence({ ...at(silenceMs, "silence"), waiting }),
  ];
  return policies as readonly Policy[];
}

/** Options for `watchdog()`: those of `stall()` and of `limits()`. All optional. */
export interface WatchdogOptions extends StallOptions, LimitsOptions {}

/**
 * The default set: the stall level, chants and limits. It reports evidence; add `escalation()` for consequences.
 *
 * @example
 * createRun({ interpret: reading(), policies: [watchdog(), escalation()] })
 */
export function watchdog(options: WatchdogOptions = {}): readonly Policy[] {
  const own: readonly unknown[] = [stall(options), chanting()];
  return [...(own as readonly Policy[]), ...limits(options)];
}
