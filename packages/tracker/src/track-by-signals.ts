import { callOf } from "@phasekit/core/account";
import {
  type Activity,
  definePolicy,
  type EventOf,
  type Meaning,
  type Policy,
  type RunEvent,
  type RunView,
  transition,
} from "@phasekit/core";
import { ownValue } from "@phasekit/core/adapter";
import { foldLog } from "./fold-log.ts";
import { watchedEvents } from "./own-work.ts";
import { emptyWorkLog, workKey, type WorkLog } from "./work-log.ts";

/** A finished call, as a function of signals sees it. */
export interface SignalCall {
  readonly tool: string;
  readonly meaning: Meaning;
  readonly outcome: EventOf<"tool.finished">["outcome"];
}

export interface SignalOptions<TPhase extends string> {
  /** Which phase an activity belongs to, or a function of the call; what it does not name says nothing. */
  readonly signals: { readonly [K in Activity]?: TPhase } | ((call: SignalCall) => TPhase | undefined);
  /** The phases a function may answer with, so that they are checked against the graph. Only for functions. */
  readonly phases?: readonly TPhase[];
  /** Turns in a row that must point to the same other phase when the calls change nothing. @default 2 */
  readonly patience?: number;
}

interface SignalState extends WorkLog {
  wanted: string | undefined;
  wantedTurn: number;
  wantedTurns: number;
}

/** Follows activities through any graph. A call that changes something moves at once; looking needs patience. */
export function trackBySignals<TPhase extends string>({
  signals,
  phases,
  patience = 2,
}: SignalOptions<TPhase>): Policy<unknown, TPhase> {
  const phaseOf =
    typeof signals === "function"
      ? signals
      : ({ meaning }: SignalCall): TPhase | undefined => byActivity(signals, meaning);
  const named = typeof signals === "function" ? phases : [...new Set(Object.values(signals) as TPhase[])];

  const observe = (state: SignalState, event: RunEvent, run: RunView): void => {
    foldLog(state, event, run);
    if (event.type !== "tool.finished" || event.outcome === "denied") return;
    const wanted = phaseOf(event);
    if (wanted === undefined) return;
    const { turn = 0 } = event;
    if (wanted !== state.wanted) state.wantedTurns = 1;
    else if (turn !== state.wantedTurn) state.wantedTurns += 1;
    state.wanted = wanted;
    state.wantedTurn = turn;
  };

  return definePolicy<SignalState, TPhase>({
    name: "phase-tracker",
    version: "1",
    ...(named !== undefined && { phases: named }),
    key: workKey as Policy<SignalState>["key"] & object,
    initial: () => ({ ...emptyWorkLog(), wanted: undefined, wantedTurn: 0, wantedTurns: 0 }),
    observe: Object.fromEntries(watchedEvents.map((type) => [type, observe])),
    decide: {
      "tool.finished": (run, { wantedTurns }, event) => {
        const wanted = event.outcome === "denied" ? undefined : phaseOf(event);
        if (wanted === undefined || !run.canMove(wanted, "policy")) return undefined;
        const acts = callOf(event).worked && (event.meaning.mutates === true || event.meaning.tests !== undefined);
        return acts || wantedTurns >= patience
          ? transition(wanted, { reason: `${event.meaning.activity ?? event.tool} belongs to ${wanted}` })
          : undefined;
      },
    },
  });
}

function byActivity<TPhase extends string>(
  signals: { readonly [K in Activity]?: TPhase },
  { activity, parts }: Meaning,
): TPhase | undefined {
  const done = [...(parts ?? [])].reverse();
  if (activity !== undefined) done.push(activity);
  for (const part of done) if (Object.hasOwn(signals, part)) return ownValue(signals, part);
  return undefined;
}
