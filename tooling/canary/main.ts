import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { Progress } from "../progress.ts";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";
import { type CanaryAgent, canaryAgents } from "./canary-agents.ts";
import { recordPayloads } from "./record-payloads.ts";
import { recordSession } from "./record-session.ts";
import { type AgentAnswers, ANSWER_STEPS, answersOf, renderAnswers } from "./answers/answer-table.ts";
import { runScenarios, stagesOf } from "./scenarios.ts";
import type { Check } from "./stage.ts";

/*
 * Drives the real agents offline: installs them from npm into a scratch folder, puts our hooks in with
 * `phasekit init`, as a user does, and plays scripted models to them over the loopback interface.
 */
const names = canaryAgents.map(({ name }) => name);
const USAGE = `Usage: pnpm canary [<agent> ...] [--keep] [--latest] [--record]

Installs real agents (100 to 440 MB each) and drives them offline with our hooks. Prints each promise when it was checked.
Agents: ${names.join(", ")}

  --keep    Keep the folders of the runs
  --stage   Only this stage; may be given several times
  --latest  Drive the newest versions
  --table   Drive the scenarios of bench/notes/live-answers.md and write that table
  --record  Write the payloads of the golden files and the recorded sessions anew
  --help    Print this text

PHASEKIT_CANARY names the folder for the agents. Ctrl-C ends the agents and removes their hooks.`;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: "boolean", default: false },
    latest: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
    stage: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", short: "h", default: false },
  },
});
const folder = process.env["PHASEKIT_CANARY"] ?? join(tmpdir(), "phasekit-canary-agents");
const unknown = wanted.filter((name) => !names.some((known) => known === name));
const counts = { kept: 0, broken: 0 };
/** The answers of earlier commands, too: each drives some of the agents. */
const columns = new Map<string, AgentAnswers>();
const TABLE = join(import.meta.dirname, "../../bench/notes/live-answers.md");

if (options.help) console.log(USAGE);
else if (unknown.length > 0) {
  console.error(
    `Unknown agent: ${unknown.map((name) => `"${name}"`).join(", ")}. The agents are: ${names.join(", ")}.`,
  );
  process.exitCode = 2;
} else await driveAll(canaryAgents.filter(({ name }) => wanted.length === 0 || wanted.includes(name)));

async function driveAll(chosen: readonly CanaryAgent[]): Promise<void> {
  const total = chosen.reduce((sum, agent) => sum + stepsOf(agent), 0);
  const isInterrupted = await runWithProgress({ total, unit: "stages" }, async (progress, signal) => {
    for (const agent of chosen) await driveOne(agent, { progress, signal });
  });
  if (columns.size > 0) writeTable();
  const { kept, broken } = counts;
  const isWhole = broken === 0 && !isInterrupted;
  console.log(isWhole ? "\nAll promises kept." : `\n${String(kept)} promises kept, ${String(broken)} broken.`);
  if (broken > 0) process.exitCode = 1;
  if (isInterrupted) exitInterrupted();
}

/** The number of steps that the chosen work takes with an agent. */
function stepsOf(agent: CanaryAgent): number {
  if (options.table) return ANSWER_STEPS;
  return options.record ? 2 : stagesOf(agent, options.stage).length;
}

/** Writes the table of all agents that were driven, and keeps their answers for the next command. */
function writeTable(): void {
  const kept = join(folder, "answers.json");
  const earlier = existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as readonly AgentAnswers[]) : [];
  const all = names.flatMap((name) => columns.get(name) ?? earlier.find(({ agent }) => agent === name) ?? []);
  writeFileSync(kept, JSON.stringify(all));
  writeFileSync(TABLE, renderAnswers(all, new Date().toISOString().slice(0, 10)));
}

interface Outputs {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Checks or records one agent. An agent that cannot be driven is a broken promise, and the others still run. */
async function driveOne(agent: CanaryAgent, { progress, signal }: Outputs): Promise<void> {
  const version = options.latest ? "latest" : agent.version;
  progress.print(`\n${agent.name} (${agent.packageName}@${version})`);
  let left = stepsOf(agent);
  const done = (): void => {
    left -= 1;
    progress.count();
  };
  const now = (stage: string): void => progress.now(`${agent.name}: ${stage}`);
  try {
    now("install from npm");
    const agentFolder = await fetchAgent(agent, { version, signal });
    if (options.table) {
      let isFirst = true;
      const onStep = (name: string): void => {
        if (!isFirst) done();
        isFirst = false;
        now(name);
      };
      const column = await answersOf(agent, { agentFolder, signal, onStep });
      columns.set(agent.name, column);
      done();
      progress.print(renderAnswers([column], ""));
    } else if (options.record) {
      const fixtures = join(import.meta.dirname, "../../packages/hooks/src/agents/__fixtures__");
      now("record payloads");
      progress.print(`  ${String(await recordPayloads(agent, { agentFolder, into: fixtures, signal }))} payloads`);
      done();
      const sessions = join(import.meta.dirname, "../../packages/cli/test/__fixtures__/sessions");
      now("record a session");
      progress.print(
        `  ${String(await recordSession(agent, { agentFolder, into: sessions, signal }))} calls of a session`,
      );
      done();
    } else {
      const check = (one: Check): void => printCheck(one, progress);
      await runScenarios(agent, {
        agentFolder,
        keep: options.keep,
        only: options.stage,
        report: { now, check, done, signal },
      });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    counts.broken += 1;
    progress.print(`  FAIL could not be driven: ${error instanceof Error ? error.message : String(error)}`);
    progress.count(left);
  }
}

function printCheck({ what, ok, seen }: Check, { print }: Progress): void {
  print(`  ${ok ? "ok  " : "FAIL"} ${what}`);
  counts[ok ? "kept" : "broken"] += 1;
  if (!ok && seen !== undefined) print(`       ${seen.replaceAll("\n", "\n       ")}`);
}

async function fetchAgent(
  { name, packageName }: CanaryAgent,
  { version, signal }: { readonly version: string; readonly signal: AbortSignal },
): Promise<string> {
  const place = join(folder, `${name}-${version}`);
  if (existsSync(join(place, "node_modules", packageName, "package.json"))) return place;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  try {
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${packageName}@${version}`];
    await promisify(execFile)("npm", args, { cwd: place, signal });
  } catch (error) {
    // Half an installation would be taken for a whole one.
    rmSync(place, { recursive: true, force: true });
    throw error;
  }
  return place;
}
