import { PhasekitError } from "@phasekit/core";

/** What the SDK turns into the result of a call that was not made: the model reads the text. */
export function toolRefused(text: string): PhasekitError<"TOOL_REFUSED"> {
  return new PhasekitError("TOOL_REFUSED", `The call was refused: ${text}`, { hint: "The run's log says which policy refused the call, in `tool.refused`." });
}

/** The agent is not one whose settings can be found. */
export function unknownAgent(): PhasekitError<"UNKNOWN_AGENT"> {
  return new PhasekitError("UNKNOWN_AGENT", "The agent has no settings that could be wrapped.", {
    hint: "Pass a ToolLoopAgent of the AI SDK (Agent in version 5), or use withPhases on the options of generateText.",
  });
}
