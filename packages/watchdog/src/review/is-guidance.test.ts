import { describe, expect, it } from "vitest";
import { isGuidance } from "./is-guidance.ts";

const NAMED = [
  "shell git fetch origin main",
  "src/server/handlers.ts",
  "cannot open .git/FETCH_HEAD: Read-only file system",
];

describe("isGuidance", () => {
  it.each([
    "",
    "Your code looks good!",
    "Great work, keep going!",
    "Nice, go on.",
    "LGTM",
    "Excellent progress so far. Continue as you are.",
    "The architecture is clean and the naming is consistent.",
    "Your error handling is robust and the conventions are followed.",
    "A pleasure to read.",
    "Test coverage is great, and the plan looks sound.",
    "Build is green, well done!",
    "Plan looks complete.",
    "Don't worry, this is fine.",
    "Do not change anything!",
    "Well done. I have no remarks.",
    "Everything works as it should.",
    "Good job on this file, the tests are fine too.",
    "Sieht gut aus, weiter so!",
    "👍",
  ])("%j is praise", (feedback) => {
    expect(isGuidance(feedback, NAMED)).toBe(false);
  });

  it.each([
    "Use the cache instead.",
    "Write the plan.",
    "Stop fetching.",
    "Fine so far, but stop fetching.",
    "Good. Now submit the plan with submit_plan.",
    "Please read src/a.ts first.",
    "Then run `npm test`.",
    "Test the parser alone.",
    "You should look at the handlers.",
    "That step is unnecessary here.",
    "Do not try it again.",
    "Don't touch the lock file.",
    "Ask for help.",
    "1. Read the log\n2. Fix the cause",
  ])("%j says what to do", (feedback) => {
    expect(isGuidance(feedback)).toBe(true);
  });

  it.each([
    ["The fetch fails because nothing may be written here.", true],
    ["Fetch geht hier nicht, der Workspace ist aktuell.", true],
    ["The cause is in src/server/handlers.ts.", true],
    ["It is read-only.", true],
    ["The main code is good, and so is the file.", false],
  ])("%j names something of the run: %s", (feedback, names) => {
    expect(isGuidance(feedback, NAMED)).toBe(names);
    expect(isGuidance(feedback)).toBe(false);
  });
});
