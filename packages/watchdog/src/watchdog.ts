import type { Policy } from "@phasekit/core";
import { assertNames, assertNumbers, defined } from "@phasekit/core/adapter";
import { corrections, sameFailure } from "./limits/breakers.ts";
import { callTimeout, silence } from "./limits/clock.ts";
import { quotaFloor, upstreamErrors } from "./limits/provider.ts";
import { sharedCalls } from "./limits/shared-calls.ts";
import { stall, type StallOptions } from "./stall/stall.ts";
import { chanting } from "./talk/chanting.ts";

/** A limit, named after the policy that reports it. */
type Limit = "silence" | "quota-floor" | "upstream-errors" | "stagnation" | "cumulative-loop";

/** Options for `limits()`. All optional. */
export interface LimitsOptions<TPhase extends string = string> {
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
  /** Corrections in one sub-loop per phase entry that open the breaker. @default 60 */
  readonly corrections?: number;
  /** Corrections in all sub-loops of a phase entry that open it. @default 10/3 times `corrections`, so 200 */
  readonly correctionsInAll?: number;
  /** Equal calls of several child runs together that raise `shared-call`. @default 5 */
  readonly sharedCalls?: number;
  /** Phases in which silence means nothing, beside those that declare `waiting: true`. @default none */
  readonly waiting?: readonly TPhase[];
  /** Limits that stop the run in mode `nudge` too: limits you set yourself. @default none */
  readonly stops?: readonly Limit[];
}

/** Corrections in all, for each one allowed in a single sub-loop. */
const IN_ALL = 10 / 3;

/**
 * Limits of a run: quota, provider, clock, calls that workers share, and the two breakers for failures that come back.
 * A limit is not a loop: it says nothing about the agent's approach.
 *
 * @throws INVALID_OPTION if a limit is not a number in its range, or there is no such limit.
 */
export function limits<const TPhase extends string = never>({
  silenceMs = 1_800_000,
  callMs = 600_000,
  quotaFloor: floor = 1,
  upstreamErrors: errors = 10,
  sameFailure: equal = 5,
  corrections: perLoop = 60,
  correctionsInAll: inAll = perLoop * IN_ALL,
  sharedCalls: shared = 5,
  waiting,
  stops = [],
  ...others
}: LimitsOptions<TPhase> = {}): readonly Policy<unknown, TPhase>[] {
  assertNames(others);
  assertNumbers({ silenceMs, callMs, quotaFloor: floor, upstreamErrors: errors });
  assertNumbers({ sameFailure: equal, corrections: perLoop, correctionsInAll: inAll }, { atLeast: 1 });
  assertNumbers({ sharedCalls: shared }, { atLeast: 2 });
  const at = (value: number, limit: Limit) => ({ at: value, stops: stops.includes(limit) });
  const policies: readonly unknown[] = [
    sameFailure(at(equal, "stagnation")),
    corrections({ ...at(perLoop, "cumulative-loop"), inAll }),
    quotaFloor(at(floor, "quota-floor")),
    upstreamErrors(at(errors, "upstream-errors")),
    callTimeout(callMs),
    silence({ ...at(silenceMs, "silence"), waiting }),
    sharedCalls(shared),
  ];
  return policies as readonly Policy<unknown, TPhase>[];
}

/** Options for `watchdog()`: those of `stall()` and of `limits()`. All optional. */
export interface WatchdogOptions<TPhase extends string = string> extends StallOptions, LimitsOptions<TPhase> {}

/**
 * The default set: the stall level, chants and limits. It reports evidence; add `escalation()` for consequences.
 *
 * @example
 * createRun({ interpret: reading(), policies: [watchdog(), escalation()] })
 * @throws INVALID_OPTION if a number is not in its range, or there is no such option.
 */
export function watchdog<const TPhase extends string = never>({
  alertAt,
  ...options
}: WatchdogOptions<TPhase> = {}): readonly Policy<unknown, TPhase>[] {
  const own: readonly unknown[] = [stall(defined({ alertAt })), chanting()];
  return [...(own as readonly Policy<unknown, TPhase>[]), ...limits(options)];
}
