import { cleanText } from "../clean-text.ts";

/** GitHub shows this many annotations of one step. */
const MAX_SHOWN = 10;

/** A failure to show beside a job. Both texts may be foreign. */
export interface Annotation {
  readonly title: string;
  readonly text: string;
}

/** Renders failures as workflow commands of GitHub Actions; the last one counts those that do not fit. */
export function renderAnnotations(failures: readonly Annotation[]): readonly string[] {
  const shown = failures.length > MAX_SHOWN ? failures.slice(0, MAX_SHOWN - 1) : failures;
  const more = failures.length - shown.length;
  return [
    ...shown,
    ...(more === 0
      ? []
      : [{ title: "Phasekit", text: `${String(more)} more failures; the job summary has all of them` }]),
  ].map(
    ({ title, text }) =>
      `::error title=${escaped(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escaped(text)}`,
  );
}

const escaped = (text: string): string => cleanText(text).replaceAll("%", "%25");

/** Breaks up what a runner of GitHub would take for a workflow command: text of an agent must not send any. */
export const withoutCommands = (line: string): string => line.replace(/^(\s*):(?=:)/, "$1: ").replaceAll("##[", "# #[");
