import { definePolicy, nudge, phaseSpec, type Policy, type RunView } from "@phasekit/core";
import { callFailed } from "./call.ts";
import { firstWords } from "./result-text.ts";

/** Options of `reminders`. */
export interface RemindersOptions {
  /** The phases that are restricted. @default those whose graph denies or lists tools or activities */
  readonly phases?: readonly string[];
  /** The tool with which the agent can ask for help. @default "ask_for_help" */
  readonly helpTool?: string;
}

interface RemindersState {
  /** The phase entry in which something failed, and what it said. */
  entry: string;
  error: string;
}

/**
 * Answers a failure inside a restricted phase at once, before the next turn: what the phase is for, what is unnecessary
 * there, and how to ask for help. Once per phase entry; for errors of tools, and for shells that report a failure as
 * plain data.
 */
export function reminders({ phases, helpTool = "ask_for_help" }: RemindersOptions = {}): Policy<RemindersState> {
  return definePolicy<RemindersState>({
    name: "reminders",
    version: "1",
    initial: () => ({ entry: "", error: "" }),
    observe: {
      "tool.finished": (state, event, run) => {
        if (event.outcome === "denied" || !(phases?.includes(run.phase) ?? isRestricted(run)) || !callFailed(event)) return;
        state.entry = run.phaseEntry;
        state.error = firstWords(event);
      },
    },
    decide: {
      "turn.started": (run, { entry, error }) => (entry === run.phaseEntry ? nudge(reminderText(run, { helpTool, error }), { priority: 15, topic: "reminder" }) : undefined),
    },
  });
}

/** Whether the graph denies something in the phase a run is in. */
function isRestricted(run: RunView): boolean {
  const { tools, activities } = phaseSpec(run.graph, run.phase) ?? {};
  return tools?.allow !== undefined || (tools?.deny?.length ?? 0) > 0 || (activities?.deny?.length ?? 0) > 0;
}

function reminderText(run: RunView, { helpTool, error }: { readonly helpTool: string; readonly error: string }): string {
  const { purpose, work, exit, constraints, notes, activities, tools } = phaseSpec(run.graph, run.phase) ?? {};
  const denied = [...(activities?.deny ?? []), ...(tools?.deny ?? [])];
  const readOnly = denied.includes("edit");
  return [
    `A call failed${error === "" ? "" : ` (${error})`}. You are in phase "${run.phase}"${readOnly ? ", which is read-only" : ""}${purpose === undefined ? "." : `: ${purpose}`}`,
    ...lines("Not possible here", denied),
    ...lines("Keep in mind", [constraints, notes].flat().filter((text) => typeof text === "string")),
    ...lines("What it takes", [work].flat().filter((text) => typeof text === "string")),
    ...lines("It ends with", [exit].flat().filter((text) => typeof text === "string")),
    `Do not try the same again. When you do not know how to go on, ask for guidance with \`${helpTool}\`.`,
  ].join("\n");
}

function lines(heading: string, texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? [] : [`${heading}: ${texts.join("; ")}`];
}
