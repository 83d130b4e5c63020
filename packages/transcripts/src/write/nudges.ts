import { NUDGE_TAG } from "@phasekit/core/adapter";

const OPENINGS = [
  { opening: `<${NUDGE_TAG}>`, closing: `</${NUDGE_TAG}>` },
  // Gemini CLI escapes what hooks say.
  { opening: `<hook_context>&lt;${NUDGE_TAG}&gt;`, closing: `&lt;/${NUDGE_TAG}&gt;</hook_context>` },
] as const;

/** True if Phasekit wrote a message: a nudge or a veto. */
export function isNudge(text: string): boolean {
  return text.trimStart().startsWith(OPENINGS[0].opening);
}

/** Returns the result of a tool without the nudge that a hook of Phasekit added at its end: the tool did not say it. */
export function withoutNudge(text: string): string {
  const end = text.trimEnd();
  const found = OPENINGS.find(({ closing }) => end.endsWith(closing));
  const start = found === undefined ? -1 : text.lastIndexOf(found.opening);
  return start === -1 ? text : text.slice(0, start).trimEnd();
}
