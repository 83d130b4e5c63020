/** Events that were appended together, and their lines in the log without the last line end. */
export interface Step {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** What is written and may not be on the disk yet: kept in memory, so that a failed sync can be made good. */
export interface UnsyncedSteps {
  readonly add: (steps: readonly Step[]) => void;
  /** Forgets what is on the disk. */
  readonly covered: (seq: number) => void;
  readonly all: () => readonly Step[];
  /** Characters of text in all. */
  readonly size: () => number;
}

export function createUnsyncedSteps(): UnsyncedSteps {
  let steps: Step[] = [];
  let size = 0;
  return {
    add: (added) => {
      for (const step of added) {
        steps.push(step);
        size += step.text.length;
      }
    },
    covered: (seq) => {
      const rest = steps.findIndex(({ last }) => last > seq);
      steps = rest < 0 ? [] : steps.slice(rest);
      size = steps.reduce((sum, { text }) => sum + text.length, 0);
    },
    all: () => steps,
    size: () => size,
  };
}
