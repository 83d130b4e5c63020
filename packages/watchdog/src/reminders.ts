import { definePolicy, nudge, type Policy, type RunView } from "@phasekit/core";
import { defined, phaseSpec } from "@phasekit/core/adapter";
import { firstLine, readsAsFailed } from "./call-result.ts";

/** The reminder that is about to be sent. */
export interface Reminder {
  readonly phase: string;
  /** The first line of the error; empty if the call has none. */
  readonly error: string;
  /** The text that is sent by default. */
  readonly text: string;
}

/** Options for `reminders()`. All optional. */
export interface RemindersOptions<TPhase extends string = string> {
  /** Restricted phases. @default phases whose graph denies or lists tools or activities */
  readonly phases?: readonly TPhase[];
  /** The tool with which the agent can ask for help. @default "ask_for_help" */
  readonly helpTool?: string;
  /** True to remind the agent after each failure instead of once per phase entry. @default false */
  readonly everyFailure?: boolean;
  /** The text of the reminder. @default the error, the purpose and the rules of the phase, and how to ask for help */
  readonly text?: (reminder: Reminder) => string;
}

interface RemindersState {
  /** The phase entry in which a call failed, its error, and how many failed in it. */
  entry: string;
  error: string;
  failures: number;
}

/**
 * Answers a failure inside a restricted phase before the next turn: the purpose of the phase, what it does not allow,
 * and how to ask for help. Once per phase entry, or after each failure with `everyFailure`.
 */
export function reminders<const TPhase extends string = never>({
  phases,
  helpTool = "ask_for_help",
  everyFailure = false,
  text = (reminder) => reminder.text,
}: RemindersOptions<TPhase> = {}): Policy<unknown, TPhase> {
  const restricts = (run: RunView): boolean => phases?.some((phase) => phase === run.phase) ?? isRestricted(run);
  return definePolicy<RemindersState, TPhase>({
    name: "reminders",
    version: "2",
    ...defined({ mentions: phases }),
    initial: () => ({ entry: "", error: "", failures: 0 }),
    observe: {
      "tool.finished": (state, event, run) => {
        if (!readsAsFailed(event) || !restricts(run)) return;
        state.failures = state.entry === run.phaseEntry ? state.failures + 1 : 1;
        state.entry = run.phaseEntry;
        state.error = firstLine(event);
      },
    },
    decide: {
      "turn.started": (run, { entry, error, failures }) => {
        if (entry !== run.phaseEntry) return undefined;
        const usual = reminderText(run, { helpTool, error });
        return nudge(text({ phase: run.phase, error, text: usual }), {
          priority: 15,
          topic: "reminder",
          // The run's limits for nudges would drop most of them.
          ...(everyFailure && { episode: `${entry} ${failures}`, guidance: true }),
        });
      },
    },
  });
}

/** True if the graph denies something in the phase a run is in. */
function isRestricted(run: RunView): boolean {
  const { tools, activities } = phaseSpec(run.graph, run.phase) ?? {};
  return tools?.allow !== undefined || (tools?.deny?.length ?? 0) > 0 || (activities?.deny?.length ?? 0) > 0;
}

function reminderText(
  run: RunView,
  { helpTool, error }: { readonly helpTool: string; readonly error: string },
): string {
  const { purpose, work, exit, constraints, notes, activities, tools } = phaseSpec(run.graph, run.phase) ?? {};
  const denied = [...(activities?.deny ?? []), ...(tools?.deny ?? [])];
  const readOnly = denied.includes("edit");
  return [
    `A call failed${error === "" ? "" : ` (${error})`}. You are in phase "${run.phase}"${readOnly ? ", which is read-only" : ""}${purpose === undefined ? "." : `: ${purpose}`}`,
    ...lines("Not possible here", denied),
    ...lines(
      "Keep in mind",
      [constraints, notes].flat().filter((text) => typeof text === "string"),
    ),
    ...lines(
      "What it takes",
      [work].flat().filter((text) => typeof text === "string"),
    ),
    ...lines(
      "It ends with",
      [exit].flat().filter((text) => typeof text === "string"),
    ),
    `Do not try the same again. If you do not know how to continue, ask for guidance with \`${helpTool}\`.`,
  ].join("\n");
}

function lines(heading: string, texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [`${heading}: ${texts.join("; ")}`];
}
