import { callOf } from "@phasekit/core/account";
import {
  type Activity,
  definePolicy,
  type EventOf,
  type Meaning,
  type PhaseGraph,
  type Policy,
  type RunEvent,
  type RunView,
  transition,
} from "@phasekit/core";
import { assertNames, defined } from "@phasekit/core/adapter";
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
  /**
   * Which phase an activity belongs to: a table, a function of the call, or a graph that says so with `inferred`. A call
   * it does not name says nothing. The activity `finish` is also that of an agent that says it is done.
   */
  readonly signals:
    | { readonly [K in Activity]?: TPhase }
    | ((call: SignalCall) => TPhase | undefined)
    | (Pick<PhaseGraph<TPhase>, "inferred"> & { readonly phases: object });
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
  ...others
}: SignalOptions<TPhase>): Policy<unknown, TPhase> {
  assertNames(others);
  const table = typeof signals === "function" ? new Map<string, TPhase>() : tableOfSignals<TPhase>(signals);
  const phaseOf =
    typeof signals === "function"
      ? signals
      : ({ meaning }: SignalCall): TPhase | undefined => byActivity(table, meaning);
  const named = typeof signals === "function" ? phases : [...new Set(table.values())];

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
    ...defined({ mentions: named }),
    key: workKey as Policy<SignalState>["key"] & object,
    initial: () => ({ ...emptyWorkLog(), wanted: undefined, wantedTurn: 0, wantedTurns: 0 }),
    observe: Object.fromEntries(watchedEvents.map((type) => [type, observe])),
    decide: {
      "finish.requested": (run) => {
        const last = run.stopped === undefined ? table.get("finish") : undefined;
        return last !== undefined && run.canMove(last, "policy")
          ? transition(last, { reason: "The agent finishes" })
          : undefined;
      },
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

function tableOfSignals<TPhase extends string>(
  signals: Exclude<SignalOptions<TPhase>["signals"], (call: SignalCall) => unknown>,
): ReadonlyMap<string, TPhase> {
  if (!("phases" in signals && typeof signals.phases === "object"))
    return new Map(Object.entries(signals) as [string, TPhase][]);
  const inferred = Object.entries((signals as Pick<PhaseGraph<TPhase>, "inferred">).inferred ?? {}) as [
    TPhase,
    readonly Activity[],
  ][];
  return new Map(inferred.flatMap(([phase, activities]) => activities.map((activity) => [activity, phase] as const)));
}

function byActivity<TPhase extends string>(
  signals: ReadonlyMap<string, TPhase>,
  { activity, parts }: Meaning,
): TPhase | undefined {
  const done = [...(parts ?? [])].reverse();
  if (activity !== undefined) done.push(activity);
  for (const part of done) if (signals.has(part)) return signals.get(part);
  return undefined;
}
