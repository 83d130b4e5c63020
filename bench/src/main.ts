import { parseArgs } from "node:util";
import { adapterOverhead } from "./adapter-overhead.ts";
import { cliSimulate } from "./cli-simulate.ts";
import { codingCost } from "./coding-cost.ts";
import { growth } from "./growth.ts";
import { ledgerStore } from "./ledger-writing.ts";
import { mcpOverhead } from "./mcp-overhead.ts";
import { orchestrator } from "./orchestrator.ts";
import { policyCost } from "./policy-cost.ts";
import { postgresCost } from "./postgres-cost.ts";
import { readingLogs } from "./reading-logs.ts";
import { reportCost } from "./report-cost.ts";
import { isMet, renderStories, type Story } from "./comparison.ts";
import { trackerCost } from "./tracker-cost.ts";
import { watchdogCost } from "./watchdog-cost.ts";

/** Every part of the benchmark by name; `pnpm bench core ledger` runs two of them. */
const parts: Readonly<Record<string, () => Promise<readonly Story[]>>> = {
  core: () => Promise.resolve([policyCost(), growth(), readingLogs()]),
  tracker: () => Promise.resolve([trackerCost()]),
  watchdog: () => Promise.resolve([watchdogCost()]),
  coding: () => Promise.resolve([codingCost()]),
  ledger: ledgerStore,
  report: () => Promise.resolve([reportCost()]),
  postgres: async () => [await postgresCost()],
  orchestrator: async () => [await orchestrator()],
  adapters: async () => [await adapterOverhead()],
  mcp: async () => [await mcpOverhead()],
  cli: () => Promise.resolve([cliSimulate()]),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    // Fails when a target is missed. Off by default: a busy machine is no reason for a red build.
    strict: { type: "boolean", default: false },
  },
});

const unknown = positionals.find((name) => parts[name] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no part "${unknown}". There are: ${Object.keys(parts).join(", ")}.`);

const stories: Story[] = [];
for (const [name, run] of Object.entries(parts)) {
  if (positionals.length === 0 || positionals.includes(name)) stories.push(...(await run()));
}
const results = stories.flatMap((story) => story.results);

if (values.json) {
  const tested = results.map((result) => ({ ...result, met: isMet(result) }));
  console.log(JSON.stringify({ node: process.version, results: tested, stories }, undefined, 2));
} else {
  console.log(
    `${renderStories(stories)}\n\nRatios, measured side by side in one run; times depend on the machine (node ${process.version}).`,
  );
}

if (values.strict && results.some((result) => isMet(result) === false)) process.exitCode = 1;
