import { buildProgram } from "@phasekit/tooling/built-program";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { NO_RECORDED_RUNS, trajectoryFolder } from "../src/recorded-runs.ts";
import { CCUSAGE, installCcusage } from "./install-ccusage.ts";
import { placeLog, type PlaceOptions, type Tool, tools } from "./place-log.ts";

// `pnpm -C bench ccusage`: the tokens and the cost of every recorded log, as Phasekit and as ccusage tell them.

const USAGE = `Usage: pnpm -C bench ccusage [--data <folder with sessions and trajectories>] [--all]

  --all  Also print the logs that agree`;
const execute = promisify(execFile);
/** Half a cent: what both print. */
const TOLERANCE_USD = 0.005;

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    all: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

interface RecordedLog {
  readonly tool: Tool;
  readonly path: string;
}

/** The sums of one program for a log. */
interface Told {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  /** `undefined` if the program does not know. */
  readonly usd: number | undefined;
}

if (options.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const folders = options.data ?? join(trajectoryFolder() ?? "", "..");
  const logs = trajectoryFolder() === undefined && options.data === undefined ? [] : recordedLogs(folders);
  if (logs.length === 0) {
    console.log(NO_RECORDED_RUNS);
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), "phasekit-side-by-side-"));
  try {
    const isInterrupted = await runWithProgress({ total: logs.length, unit: "logs" }, async (progress, signal) => {
      progress.now(`install ccusage ${CCUSAGE}`);
      const ccusage = await installCcusage(scratch, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        progress.print(`ccusage ${CCUSAGE} is not there and npm cannot install it: nothing to compare with.`);
        return undefined;
      });
      if (ccusage === undefined) return;
      const same = new Map<Tool, { equal: number; withFiles: number; all: number }>();
      for (const log of logs) {
        progress.now(log.path);
        const compare = async (options: PlaceOptions = {}): Promise<string> => {
          const home = mkdtempSync(join(scratch, "home-"));
          placeLog(home, log, options);
          return difference(await askPhasekit(home, signal), await askCcusage(ccusage, home, signal));
        };
        const differs = await compare();
        // ccusage reads sub-agents only from files of their own, which recorded sessions come without.
        const isSubAgents = differs !== "" && (await compare({ withSubAgents: true })) === "";
        const count = same.get(log.tool) ?? { equal: 0, withFiles: 0, all: 0 };
        same.set(log.tool, {
          equal: count.equal + (differs === "" ? 1 : 0),
          withFiles: count.withFiles + (isSubAgents ? 1 : 0),
          all: count.all + 1,
        });
        if (differs !== "" || options.all)
          progress.print(
            `${log.path.split("/").at(-1) ?? ""}: ${differs || "equal"}${isSubAgents ? " (equal with the files of its sub-agents)" : ""}`,
          );
        progress.count();
      }
      for (const [tool, { equal, withFiles, all }] of same)
        progress.print(
          `${tool}: ${String(equal)} of ${String(all)} equal${withFiles === 0 ? "" : `, ${String(withFiles)} more with the files of their sub-agents`}`,
        );
    });
    if (isInterrupted) exitInterrupted();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Recorded sessions are in one folder, named by their tool; other recorded runs are in a folder per tool. */
function recordedLogs(data: string): readonly RecordedLog[] {
  const listed = (folder: string): readonly string[] =>
    existsSync(folder) ? readdirSync(folder).filter((name) => /__.*\.jsonl?(?:\.gz)?$/.test(name)) : [];
  return tools.flatMap((tool) => [
    ...listed(join(data, "sessions"))
      .filter((name) => name.startsWith(`${tool}__`))
      .map((name) => ({ tool, path: join(data, "sessions", name) })),
    ...listed(join(data, "trajectories", tool)).map((name) => ({ tool, path: join(data, "trajectories", tool, name) })),
  ]);
}

async function askPhasekit(home: string, signal: AbortSignal): Promise<Told | undefined> {
  const data = await askJson([buildProgram().file, "usage", "--json"], home, signal);
  const { total } = data as {
    readonly total?: {
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
      readonly cost: { readonly usd?: number };
    };
  };
  if (total === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite, cost } = total;
  return { input, output, cached: cacheRead, written: cacheWrite, usd: cost.usd };
}

async function askCcusage(program: string, home: string, signal: AbortSignal): Promise<Told | undefined> {
  const data = await askJson([program, "session", "--offline", "--json"], home, signal);
  const { session = [] } = data as {
    readonly session?: readonly {
      readonly inputTokens: number;
      readonly totalTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheCreationTokens: number;
      readonly totalCost: number;
    }[];
  };
  if (session.length === 0) return undefined;
  const sum = (of: (row: (typeof session)[number]) => number): number => session.reduce((all, row) => all + of(row), 0);
  return {
    input: sum((row) => row.inputTokens),
    // Of some tools it has the tokens of reasoning only in the total.
    output: sum((row) => row.totalTokens - row.inputTokens - row.cacheReadTokens - row.cacheCreationTokens),
    cached: sum((row) => row.cacheReadTokens),
    written: sum((row) => row.cacheCreationTokens),
    usd: sum((row) => row.totalCost),
  };
}

/** Runs a program in a home folder; a program that finds nothing there ends with an error and says nothing. */
async function askJson(args: readonly string[], home: string, signal: AbortSignal): Promise<object> {
  const env = { PATH: process.env["PATH"], HOME: home, LC_ALL: "C" };
  const { stdout } = await execute(process.execPath, [...args], { cwd: home, env, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return { stdout: "{}" };
  });
  return JSON.parse(stdout === "" ? "{}" : stdout) as object;
}

/** The sums that differ; empty if none. */
function difference(ours: Told | undefined, theirs: Told | undefined): string {
  if (ours === undefined || theirs === undefined)
    return ours === theirs ? "" : `only ${ours === undefined ? "ccusage" : "Phasekit"} knows its usage`;
  const tokens = (["input", "output", "cached", "written"] as const)
    .filter((name) => ours[name] !== theirs[name])
    .map((name) => `${name} ${String(ours[name])}, ccusage ${String(theirs[name])}`);
  const isSameCost = Math.abs((ours.usd ?? 0) - (theirs.usd ?? 0)) < TOLERANCE_USD;
  return [...tokens, ...(isSameCost ? [] : [`$${String(ours.usd)}, ccusage $${String(theirs.usd)}`])].join("; ");
}
