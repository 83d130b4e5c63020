import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CanaryAgent, canaryAgents } from "./canary-agents.ts";
import { recordPayloads } from "./record-payloads.ts";
import { recordSession } from "./record-session.ts";
import { runScenarios } from "./scenarios.ts";

/*
 * Drives the real agents offline: installs them from npm into a scratch folder, puts our hooks in with
 * `phasekit init`, as a user does, and plays scripted models to them over the loopback interface. Costs 100 to 440 MB
 * per agent.
 *
 *   pnpm canary [claude-code codex ...] [--keep] [--latest]      PHASEKIT_CANARY=<folder for the agents>
 *   pnpm canary --record      writes the payloads of the golden files and the recorded sessions anew
 */
const args = process.argv.slice(2);
const isLatest = args.includes("--latest");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const folder = process.env["PHASEKIT_CANARY"] ?? join(tmpdir(), "phasekit-canary-agents");
const chosen = canaryAgents.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

let failed = 0;
for (const agent of chosen) {
  const version = isLatest ? "latest" : agent.version;
  console.log(`\n${agent.name} (${agent.packageName}@${version})`);
  try {
    const agentFolder = fetchAgent(agent, version);
    if (args.includes("--record")) {
      const into = join(import.meta.dirname, "../../packages/hooks/src/agents/__fixtures__");
      console.log(`  ${String(await recordPayloads(agent, { agentFolder, into }))} payloads`);
      const sessions = join(import.meta.dirname, "../../packages/cli/test/__fixtures__/sessions");
      console.log(`  ${String(await recordSession(agent, { agentFolder, into: sessions }))} calls of a session`);
      continue;
    }
    for (const { what, ok, seen } of await runScenarios(agent, { agentFolder, keep: args.includes("--keep") })) {
      console.log(`  ${ok ? "ok  " : "FAIL"} ${what}`);
      if (ok) continue;
      failed += 1;
      if (seen !== undefined) console.log(`       ${seen.replaceAll("\n", "\n       ")}`);
    }
  } catch (error) {
    failed += 1;
    console.log(`  FAIL could not be driven: ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(failed === 0 ? "\nAll promises kept." : `\n${String(failed)} promises broken.`);
process.exitCode = failed === 0 ? 0 : 1;

function fetchAgent({ name, packageName }: CanaryAgent, version: string): string {
  const place = join(folder, `${name}-${version}`);
  if (existsSync(join(place, "node_modules", packageName, "package.json"))) return place;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `${packageName}@${version}`], {
    cwd: place,
    stdio: "ignore",
  });
  return place;
}
