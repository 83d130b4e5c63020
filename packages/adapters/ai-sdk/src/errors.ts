import { PhasekitError } from "@phasekit/core";

/** Thrown instead of a refused call. The SDK passes the text to the model as the result. */
export function toolRefused(text: string): PhasekitError<"TOOL_REFUSED"> {
  return new PhasekitError("TOOL_REFUSED", `The call was refused: ${text}`, {
    hint: "The `tool.refused` event in the run's log names the policy.",
  });
}

/** The agent has no `settings`. */
export function unknownAgent(): PhasekitError<"UNKNOWN_AGENT"> {
  return new PhasekitError("UNKNOWN_AGENT", "`withPhases` cannot wrap this agent: it has no `settings`.", {
    hint: "Pass a ToolLoopAgent of the AI SDK (Experimental_Agent in version 5), or the options of generateText.",
  });
}
