import { definePolicy, nudge, type Policy, type RunView } from "@phasekit/core";
import { phaseSpec } from "@phasekit/core/adapter";
import { callOf } from "@phasekit/core/account";
import { firstLine } from "./call-result.ts";

/** Options for `reminders()`. All optional. */
export interface RemindersOptions {
  /** Restricted phases. @default phases whose graph denies or lists tools or activities */
  readonly phases?: readonly string[];
  /** The tool with which the agent can ask for help. @default "ask_for_help" */
  readonly helpTool?: string;
}

interface RemindersState {
  /** The phase entry in which a call failed, and its error. */
  entry: string;
  error: string;
}

/**
 * Answers a failure inside a restricted phase before the next turn: the purpose of the phase, what it does not allow,
 * and how to ask for help. Once per phase entry.
 */
export function reminders({ phases, helpTool = "ask_for_help" }: RemindersOptions = {}): Policy {
  return definePolicy<RemindersState>({
    name: "reminders",
    version: "1",
    initial: () => ({ entry: "", error: "" }),
    observe: {
      "tool.finished": (state, event, run) => {
        if (event.outcome === "denied" || !(phases?.includes(run.phase) ?? isRestricted(run)) || !callOf(event).failed)
          return;
        state.entry = run.phaseEntry;
        state.error = firstLine(event);
      },
    },
    decide: {
      "turn.started": (run, { entry, error }) =>
        entry === run.phaseEntry
          ? nudge(reminderText(run, { helpTool, error }), { priority: 15, topic: "reminder" })
          : undefined,
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
