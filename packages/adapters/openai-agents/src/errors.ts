import { PhasekitError } from "@phasekit/core";

/** The object has no `run` or no `config`. */
export function unknownRunner(): PhasekitError<"UNKNOWN_RUNNER"> {
  return new PhasekitError("UNKNOWN_RUNNER", "`withPhases` cannot wrap this object: it is not a Runner.", {
    hint: "Pass `new Runner()` of @openai/agents, and call `run()` of the runner you get back.",
  });
}
