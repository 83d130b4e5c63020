import { asksForHelp, type CommandReading, hasWord, operandsOf, reading } from "./command-reading.ts";
import { wordSet } from "../word-table.ts";

const LOOKS = wordSet(
  "list ls show view get ready blocked search status stats info prime doctor version help me whoami board sprint next " +
    "graph tree history log open",
);
const CLAIMS = /^(?:--claim|--set-metadata|(?:--status=)?(?:in_progress|in-progress|doing))$/;

/**
 * Trackers on the command line, as `bd`, `jira`, `linear`: showing looks, claiming an entry organizes the agent's own
 * work, and writing an entry hands something to others.
 */
export function classifyTracker(words: readonly string[]): CommandReading {
  const verbs = operandsOf(words).slice(0, 2);
  if (verbs.length === 0 || asksForHelp(words) || verbs.some((verb) => LOOKS.has(verb))) return reading("read");
  if (verbs.some((verb) => /^(?:claim|start|in-progress|assign|next)$/.test(verb)) || hasWord(words, CLAIMS))
    return reading("plan");
  return reading("vcs-write");
}
