import { RUNNERS } from "./runner-table.ts";
import type { Runner } from "./runner.ts";

/**
 * The runners of whose marks a text holds at least one, in the order of the table. One pass over the text looks for
 * all of them.
 */
export function runnersIn(text: string): readonly Runner[] {
  const { pattern, runnersByMark } = (marks ??= indexMarks());
  const found = new Set<Runner>();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (const runner of runnersByMark.get(match[0]) ?? []) found.add(runner);
    // The next mark may begin inside this one.
    pattern.lastIndex = match.index + 1;
  }
  return found.size === 0 ? [] : RUNNERS.filter((runner) => found.has(runner));
}

interface MarkIndex {
  readonly pattern: RegExp;
  readonly runnersByMark: ReadonlyMap<string, readonly Runner[]>;
}

// Made when the first output is read.
let marks: MarkIndex | undefined;

function indexMarks(): MarkIndex {
  // Of the marks at one place the longest is found; it stands for those it begins with.
  const all = [...new Set(RUNNERS.flatMap((runner) => runner.marks))].sort((one, other) => other.length - one.length);
  const runnersOf = (found: string): readonly Runner[] =>
    RUNNERS.filter((runner) => runner.marks.some((mark) => found.startsWith(mark)));
  return {
    pattern: new RegExp(all.map((mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g"),
    runnersByMark: new Map(all.map((mark) => [mark, runnersOf(mark)])),
  };
}
