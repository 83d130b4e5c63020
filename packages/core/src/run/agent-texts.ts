/** The tag around everything Phasekit says to an agent, so that readers of a transcript can tell it apart. */
export const NUDGE_TAG = "phasekit";

/** The instruction for the closing turn of a run that wraps up. */
export const CLOSING_TEXT =
  "This is the last turn. Use no tools; say what is done, what is not, and what should happen next.";

/** The result put in place of a tool call that a stopped run never made. */
export const SEAL_TEXT = "The run was stopped before this call was made. Nothing was done.";

/** Puts a text into the `<phasekit>` tag. */
export function wrapEnvelope(text: string): string {
  return `<${NUDGE_TAG}>\n${text}\n</${NUDGE_TAG}>`;
}

/** Renders several texts as one message to the agent. Returns `undefined` if there are none. */
export function renderNudges(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : wrapEnvelope(texts.join("\n\n"));
}
