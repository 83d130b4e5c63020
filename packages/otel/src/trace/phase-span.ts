import type { EventOf, RunEvent } from "@phasekit/core";
import { kinds, names, own } from "../conventions.ts";
import { attributesFrom, nanoseconds, type OtlpSpan } from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

/** One stay in a phase. */
export interface OpenPhase {
  readonly phase: string;
  /** Its number in the run, from 1. */
  readonly entry: number;
  readonly from: number;
  readonly spanId: string;
}

/** How a phase entry ended. */
interface PhaseEnd {
  /** The move or the end that closed it; absent if the log just stops. */
  readonly left: RunEvent | undefined;
  readonly at: number;
  readonly parentSpanId: string;
  /** The move was decided by a text, so that a reader without texts needs it. */
  readonly isByText: boolean;
}

/** Returns the span of a phase entry. */
export function phaseSpan(
  { phase, from, spanId, entry }: OpenPhase,
  { left, at, parentSpanId, isByText }: PhaseEnd,
  context: TraceContext,
): OtlpSpan {
  const { ids, common, agent } = context;
  const move = left?.type === "phase.transition" || left?.type === "phase.rolled-back" ? left : undefined;
  const { metrics } = move ?? {};
  return {
    traceId: ids.trace,
    spanId,
    parentSpanId,
    name: `phase ${phase}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(Math.max(from, at)),
    attributes: [
      ...common,
      ...attributesFrom({
        ...kinds.phase,
        [names.agent]: agent,
        [own.entry]: entry,
        "phasekit.phase.next": move?.to,
        "phasekit.phase.left_by": move?.by,
        "phasekit.phase.outcome": outcomeOf(left),
        "phasekit.phase.turns": metrics?.turns,
        "phasekit.phase.calls": metrics?.toolCalls,
        "phasekit.phase.calls.failed": metrics?.toolErrors,
        "phasekit.phase.active_ms": metrics?.activeMs,
        "phasekit.phase.files_read": metrics?.filesRead,
        [own.events]:
          isByText && move?.type === "phase.transition" ? [JSON.stringify(plainEvent(move, context))] : undefined,
      }),
    ],
    status: {},
  };
}

function outcomeOf(left: RunEvent | undefined): EventOf<"run.finished">["outcome"] | undefined {
  if (left?.type === "phase.transition" || left?.type === "run.finished") return left.outcome;
  return left?.type === "phase.rolled-back" ? "abandoned" : undefined;
}
