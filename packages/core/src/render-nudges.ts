/** The tag around everything Phasekit says to an agent, so that readers of a transcript can tell it apart. */
export const NUDGE_TAG = "phasekit";

/** Several texts as one message to the agent; `undefined` when there is nothing to say. */
export function renderNudges(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : `<${NUDGE_TAG}>\n${texts.join("\n\n")}\n</${NUDGE_TAG}>`;
}
