import { assembleRun } from "../run/assemble-run.ts";
import type { NewEvent } from "../events/run-event.ts";
import type { Reason } from "../events/reason-codes.ts";
import type { Run, RunOptions, Subscriber } from "../run/run.ts";
import { defined } from "../text/defined.ts";
import type { Limits } from "../view/run-view.ts";

/** The header of a recorded run: everything known before its first event. */
export interface RecordedHeader {
  readonly id: string;
  readonly task?: RunOptions["task"];
  readonly parent?: RunOptions["parent"];
  readonly folder?: RunOptions["folder"];
  /** Milliseconds since 1970; the clock of the played run stands there, and its events move it. @default 0 */
  readonly startedAt?: number;
}

/** The end of a recorded run. Without a reason, the agent finished by itself, and the gates decide if it is done. */
export interface RecordedEnding {
  readonly reason?: Reason;
  readonly summary?: string;
  readonly at?: number;
}

/** The effect of one recorded event: stored, rejected by the run, or the result of a call that is refused now. */
export type PlayedEvent = "recorded" | "ignored" | "avoided";

/** A recorded run that is played event by event. */
export interface RunPlay<TPhase extends string = string> {
  readonly run: Run<TPhase>;
  /** Calls that are refused now: their results are left out. */
  readonly refused: Set<string>;
  /** Passes every deadline up to a time, each at its own. */
  readonly passTime: (at: number) => void;
  /** Takes the next host event, at its own time: deadlines before it pass first. */
  readonly take: (event: NewEvent) => PlayedEvent;
  readonly end: (ending?: RecordedEnding) => void;
}

/** Options for `playRun()`: those of a run, and a subscriber that gets every step from the first one on. */
export type PlayRunOptions<TPhase extends string = string> = RunOptions<TPhase> & { readonly subscribe?: Subscriber };

/**
 * Opens a run for recorded host events: the one player of recorded runs. It keeps what the agent did and decides anew.
 * It never invents what the agent would have done: the result of a call that is refused now is left out, and that is
 * all.
 *
 * @throws what `createRun` throws
 */
export function openPlay<const TPhase extends string = "working">(
  { id, task, parent, folder, startedAt = 0 }: RecordedHeader,
  { subscribe, ...options }: PlayRunOptions<TPhase> = {},
  inherited?: Limits,
): RunPlay<TPhase> {
  const { run } = assembleRun<TPhase>(
    { id, clock: () => startedAt, ...defined({ task, parent, folder }), ...(options as RunOptions<TPhase>) },
    inherited === undefined ? {} : { inherited },
  );
  const refused = new Set<string>();
  run.subscribe((step) => {
    for (const event of step)
      if (event.type === "tool.refused" && event.applied && event.call !== undefined) refused.add(event.call);
  });
  if (subscribe !== undefined) run.subscribe(subscribe);
  const passTime = (at: number): void => {
    for (let due = run.wakeAt; due !== undefined && due <= at; due = run.wakeAt) if (!run.tick(due)) return;
  };
  return {
    run,
    refused,
    passTime,
    take: (event) => {
      if (event.at !== undefined && event.type !== "clock.ticked") passTime(event.at);
      // The id may be used again.
      if (event.type === "tool.requested" && event.call !== undefined) refused.delete(event.call);
      if (event.type === "tool.finished" && event.call !== undefined && refused.delete(event.call)) return "avoided";
      return run.record(event) ? "recorded" : "ignored";
    },
    end: ({ reason, summary, at } = {}) => {
      if (at !== undefined) passTime(at);
      run.end(defined({ reason, summary }));
    },
  };
}

/**
 * Plays a whole recorded run, such as one of `parseTranscript()`, and ends it the same way.
 *
 * @example
 * const { outcome } = playRun(transcript.runs[0], codingRunOptions({ mode: "observe" }));
 */
export function playRun<const TPhase extends string = "working">(
  recorded: RecordedHeader & { readonly events: Iterable<NewEvent>; readonly ending?: RecordedEnding },
  options?: PlayRunOptions<TPhase>,
): Run<TPhase> {
  const { run, take, end } = openPlay(recorded, options);
  for (const event of recorded.events) take(event);
  end(recorded.ending);
  return run;
}
