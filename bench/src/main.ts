import { parseArgs } from "node:util";
import { growth } from "./growth.ts";
import { policyCost } from "./policy-cost.ts";
import { readingLogs } from "./reading-logs.ts";
import { isMet, renderStories, type Story } from "./result.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    // Fails when a target is missed. Off by default: a busy machine is no reason for a red build.
    strict: { type: "boolean", default: false },
  },
});

const stories: readonly Story[] = [policyCost(), growth(), readingLogs()];
const results = stories.flatMap((story) => story.results);

if (values.json) {
  const tested = results.map((result) => ({ ...result, met: isMet(result) }));
  console.log(JSON.stringify({ node: process.version, results: tested, stories }, undefined, 2));
} else {
  console.log(`${renderStories(stories)}\n\nRatios, measured side by side in one run; times depend on the machine (node ${process.version}).`);
}

if (values.strict && results.some((result) => isMet(result) === false)) process.exitCode = 1;
