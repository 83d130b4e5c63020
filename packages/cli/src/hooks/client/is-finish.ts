// Imported by the hook command, which starts for every event: no imports.

/** The agents' events at which a finish is vetoed; a test compares them with what the agents can do. */
export const finishEvents: readonly string[] = [
  "Stop",
  "SubagentStop",
  "AfterAgent",
  "agentStop",
  "subagentStop",
  "stop",
  "finish",
];

/** An agent names its event near the start of the payload. */
const HEAD = 4096;

/** True if the agent wants to finish. Quotes inside JSON text are escaped, so no value can pretend to be the name. */
export function isFinish(event: string | undefined, payload: Buffer): boolean {
  const name = event ?? /"(?:hook_event_name|event)"\s*:\s*"(\w+)"/.exec(payload.toString("latin1", 0, HEAD))?.[1];
  return name !== undefined && finishEvents.includes(name);
}
