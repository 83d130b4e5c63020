import { definePolicy, nudge, type Policy, type RunView, stop } from "@phasekit/core";

/** Options of `requiredCall`. */
export interface RequiredCallOptions {
  /** The tool that must be called. */
  readonly tool?: string;
  /** Or what it must do, such as `plan` or `edit`. */
  readonly activity?: string;
  /** How often the phase is asked in all, the first time included. @default 3 */
  readonly prompts?: number;
  /** The phase that owes the call. @default every phase */
  readonly inPhase?: string;
  /** @default "required-call" */
  readonly name?: string;
}

interface RequiredCallState {
  entry: string;
  made: boolean;
  spoke: boolean;
  acted: boolean;
  /** Turns that ended in text and nothing else. */
  asked: number;
}

/**
 * A phase that owes a tool call and gets text is asked again, and then ended as `function_call_failed`: a limit, so it
 * ends a run in mode `nudge` too.
 */
export function requiredCall({ tool, activity, prompts = 3, inPhase, name = "required-call" }: RequiredCallOptions): Policy<RequiredCallState> {
  const owes = (run: RunView, { made }: Readonly<RequiredCallState>): boolean => !made && (inPhase === undefined || run.phase === inPhase);
  const wanted = tool === undefined ? `a call that does: ${activity ?? "something"}` : `a call of \`${tool}\``;
  const see = (state: RequiredCallState, run: RunView): void => {
    if (state.entry === run.phaseEntry) return;
    Object.assign(state, { entry: run.phaseEntry, made: false, spoke: false, acted: false, asked: 0 });
  };
  return definePolicy<RequiredCallState>({
    name,
    version: "1",
    initial: () => ({ entry: "", made: false, spoke: false, acted: false, asked: 0 }),
    observe: {
      "turn.started": (state, _event, run) => {
        see(state, run);
        if (state.spoke && !state.acted && owes(run, state)) state.asked += 1;
        state.spoke = false;
        state.acted = false;
      },
      "message.sent": (state) => { state.spoke = true; },
      "tool.finished": (state, event, run) => {
        see(state, run);
        state.acted = true;
        if (event.outcome !== "denied" && (event.tool === tool || (activity !== undefined && event.meaning.activity === activity))) state.made = true;
      },
    },
    decide: {
      "turn.started": (run, state) => {
        if (!owes(run, state) || state.asked === 0) return undefined;
        if (state.asked >= prompts) return stop({ reason: "function_call_failed", text: `Phase "${run.phase}" needs ${wanted}; ${String(state.asked)} answers held none.` });
        const text = `Phase "${run.phase}" needs ${wanted}. Text alone does not do it: make the call in this turn (asked ${String(state.asked + 1)} of ${String(prompts)} times).`;
        return nudge(text, { episode: `${run.phaseEntry} ${String(state.asked)}`, guidance: true, priority: 30 });
      },
    },
  });
}
