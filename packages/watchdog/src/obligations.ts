import { callOf } from "@phasekit/core/account";
import { definePolicy, nudge, type Policy, type RunView, stop } from "@phasekit/core";
import { setBounded } from "@phasekit/core/adapter";

/** Options for `requiredCall()`. */
export interface RequiredCallOptions {
  /** The tool that must be called. */
  readonly tool?: string;
  /** Or the activity of the call, such as `plan` or `edit`. */
  readonly activity?: string;
  /** How often the agent is asked in all, the first time included. @default 3 */
  readonly prompts?: number;
  /** Turns with other calls after which the agent is asked too. @default 10 */
  readonly otherTurns?: number;
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
  /** Turns with other calls. */
  others: number;
  /** Turns without the call that count against the agent. */
  asked: number;
}

/**
 * Asks again for a tool call that a phase owes when the agent answers with text only, or keeps calling other tools.
 * Then it ends the run as `function_call_failed`. It is a limit, so it ends a run in mode `nudge` too.
 */
export function requiredCall({
  tool,
  activity,
  prompts = 3,
  otherTurns = 10,
  inPhase,
  name = "required-call",
}: RequiredCallOptions): Policy {
  const owes = (run: RunView, { made }: Readonly<RequiredCallState>): boolean =>
    !made && (inPhase === undefined || run.phase === inPhase);
  const wanted = tool === undefined ? `a call that does: ${activity ?? "something"}` : `a call of \`${tool}\``;
  const see = (state: RequiredCallState, run: RunView): void => {
    if (state.entry === run.phaseEntry) return;
    Object.assign(state, { entry: run.phaseEntry, made: false, spoke: false, acted: false, others: 0, asked: 0 });
  };
  return definePolicy<RequiredCallState>({
    name,
    version: "2",
    initial: () => ({ entry: "", made: false, spoke: false, acted: false, others: 0, asked: 0 }),
    observe: {
      "turn.started": (state, _event, run) => {
        see(state, run);
        if (state.acted) state.others += 1;
        // An agent may work before it makes the call, but not for long, and not after it was asked.
        const failed = state.acted ? state.asked > 0 || state.others >= otherTurns : state.spoke;
        if (failed && owes(run, state)) state.asked += 1;
        state.spoke = false;
        state.acted = false;
      },
      "message.sent": (state) => {
        state.spoke = true;
      },
      "tool.finished": (state, event, run) => {
        see(state, run);
        state.acted = true;
        if (
          event.outcome !== "denied" &&
          (event.tool === tool || (activity !== undefined && event.meaning.activity === activity))
        )
          state.made = true;
      },
    },
    decide: {
      "turn.started": (run, state) => {
        if (!owes(run, state) || state.asked === 0) return undefined;
        if (state.asked >= prompts)
          return stop({
            reason: "function_call_failed",
            text: `Phase "${run.phase}" needs ${wanted}; the agent was asked ${prompts} times and did not make it.`,
          });
        const text =
          `Phase "${run.phase}" needs ${wanted}. Nothing else does it: ` +
          `make the call in this turn (asked ${state.asked + 1} of ${prompts} times).`;
        return nudge(text, { episode: `${run.phaseEntry} ${state.asked}`, guidance: true, priority: 30 });
      },
    },
  });
}
/** Options for `validationRetries()`. All optional. */
export interface ValidationRetriesOptions {
  /** Arguments of one tool in a row that do not validate. @default 3 */
  readonly max?: number;
}

interface ValidationRetriesState {
  readonly failed: Map<string, number>;
  tool: string;
  path: string;
}

const MAX_TOOLS = 32;

/** Ends a run as `validation_giveup` when the model cannot produce arguments that validate. A limit, not a grade. */
export function validationRetries({ max = 3 }: ValidationRetriesOptions = {}): Policy {
  return definePolicy<ValidationRetriesState>({
    name: "validation-retries",
    version: "1",
    initial: () => ({ failed: new Map(), tool: "", path: "" }),
    observe: {
      "validation.failed": (state, { tool = "", path, attempt }) => {
        // Several wrong fields of one attempt are one failure.
        const count = attempt ?? (state.failed.get(tool) ?? 0) + 1;
        setBounded(state.failed, [tool, count], MAX_TOOLS);
        state.tool = tool;
        state.path = path;
      },
      "tool.finished": ({ failed }, event) => {
        if (callOf(event).worked) {
          failed.delete(event.tool);
          failed.delete("");
        }
      },
    },
    decide: {
      "validation.failed": (_run, { failed, tool, path }) => {
        const count = failed.get(tool) ?? 0;
        return count >= max
          ? stop({
              reason: "validation_giveup",
              text: `${count} attempts${tool === "" ? "" : ` at \`${tool}\``} did not validate, the last at ${path}.`,
            })
          : undefined;
      },
    },
  });
}
