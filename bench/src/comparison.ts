/** One measured claim. */
export interface Result {
  readonly what: string;
  readonly value: number;
  /** `×`: how many times the baseline; everything else is what it says. */
  readonly unit: "×" | "B per event" | "ms";
  /** At most this much; absent when nothing is claimed. */
  readonly target?: number;
}

/** The results of one story, and what they are compared with. */
export interface Story {
  readonly title: string;
  readonly baseline: string;
  readonly results: readonly Result[];
  /** What has to be known to read the numbers. */
  readonly notes: readonly string[];
}

/** True if a result keeps its promise; `undefined` when there is none. */
export function isMet({ value, target }: Result): boolean | undefined {
  return target === undefined ? undefined : value <= target;
}

/** Stories as a table for people. */
export function renderStories(stories: readonly Story[]): string {
  const width = Math.max(...stories.flatMap(({ results }) => results.map(({ what }) => what.length)));
  return stories.map((story) => renderStory(story, width)).join("\n\n");
}

function renderStory({ title, baseline, results, notes }: Story, width: number): string {
  const rows = results.map((result) => {
    const met = isMet(result);
    const verdict = met === undefined ? "" : `${`≤ ${String(result.target)}`.padStart(7)}  ${met ? "ok" : "over"}`;
    return `  ${result.what.padEnd(width)}  ${format(result).padStart(18)}  ${verdict}`.trimEnd();
  });
  return [title, `  1 × = ${baseline}`, "", ...rows, "", ...notes.map((note) => `  ${note}`)].join("\n").trimEnd();
}

function format({ value, unit }: Result): string {
  return unit === "×" ? `${value.toFixed(2)} ×` : `${value.toFixed(1)} ${unit}`;
}
