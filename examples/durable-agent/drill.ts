// The drill of every engine: runs are killed in each phase, while they wait for a person, and four in one process.
// Each must leave the same log as the run that was never interrupted, and no effect twice.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { turnsOfPhases, verdictOfPerson } from "./script.ts";
import { isPhasekitError } from "@phasekit/core";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { effectsFile, type WorkerOrders } from "./scripted-host.ts";

/** A line that a worker prints. */
export type WorkerLine =
  | { readonly did: "ready" }
  /** A run waits for a person; `address` is where the engine takes the answer. */
  | { readonly did: "wait"; readonly id: string; readonly address: string }
  | { readonly did: "end"; readonly id: string }
  /** The workflow's code threw. */
  | { readonly did: "fail"; readonly id: string; readonly why: string };

type WaitLine = Extract<WorkerLine, { readonly did: "wait" }>;

/** An error of a workflow in one line. */
export function renderFailure(error: unknown): string {
  return isPhasekitError(error) ? `${error.code} ${error.message}` : String(error);
}

/** Engine under test. */
export interface DrilledEngine {
  /** A folder for the effects of the runs. */
  readonly folder: string;
  /** The worker's program, and its arguments after the folder and its orders. */
  readonly worker: readonly string[];
  /** Starts workflows; the worker runs. */
  readonly start: (ids: readonly string[]) => Promise<void>;
  /** Hands the answer of a person to a run that waits, also while no worker runs. */
  readonly answer: (wait: WaitLine, verdict: ReviewVerdict) => Promise<void>;
  /** Lets the engine try a workflow again that failed, if it does not by itself. */
  readonly retry: (id: string) => Promise<void>;
  /** The log of a run, from its store. */
  readonly read: (id: string) => Promise<readonly unknown[]>;
  /** The arguments of `phasekit why` for a run. */
  readonly why: (id: string) => readonly string[];
}

/** Ends a drill that hangs; a busy machine is far below it. */
const DEADLINE_MS = 300_000;

type Phase = keyof typeof turnsOfPhases;

/** Runs the drill: the short one kills in one phase, the long one in all, and four agents in one process. */
export async function drill(engine: DrilledEngine, { long }: { readonly long: boolean }): Promise<string> {
  const team = createTeam(engine);
  const killed: string[] = [];
  try {
    await team.startWorker();
    await engine.start(["plain"]);
    await team.finish(["plain"]);
    const log = await logOf(engine, "plain");
    const effects = effectsOf(engine, "plain");
    let repeated = 0;
    const check = async (id: string, { mayRepeat = 0 } = {}): Promise<void> => {
      assert.equal(await logOf(engine, id), log, `${id}: another log than the run that was not interrupted`);
      const all = effectsOf(engine, id);
      const once = all.filter((effect, index) => all.indexOf(effect) === index);
      assert.deepEqual(once, effects, `${id}: other effects`);
      assert.ok(all.length - once.length <= mayRepeat, `${id}: an effect happened twice`);
      repeated += all.length - once.length;
      killed.push(id);
    };

    const phases: readonly Phase[] = long ? ["exploring", "acting", "verifying"] : ["acting"];
    for (const phase of phases) {
      await team.replaceWorker({ kill: { id: phase, turn: turnsOfPhases[phase] } });
      await engine.start([phase]);
      await team.untilKilled();
      await team.startWorker();
      await team.finish([phase]);
      await check(phase);
    }

    const answerLater = team.holdAnswer("review");
    await engine.start(["review"]);
    await team.untilWaiting("review");
    await team.killWorker();
    await answerLater();
    await team.startWorker();
    await team.finish(["review"]);
    await check("review");

    if (long) {
      // A new deployment with other policies takes over, and then the one that started the run.
      await team.replaceWorker({ kill: { id: "deployed", turn: turnsOfPhases.acting } });
      await engine.start(["deployed"]);
      await team.untilKilled();
      await team.startWorker({ isChanged: true });
      assert.match(await team.untilFailed("deployed"), /^REPLAY_CHANGED .*policy reminders .*was removed/);
      await team.replaceWorker();
      await engine.retry("deployed");
      await team.finish(["deployed"]);
      await check("deployed");

      const four = ["agent-1", "agent-2", "agent-3", "agent-4"];
      await team.replaceWorker({ kill: { id: "agent-3", turn: turnsOfPhases.exploring } });
      await engine.start(four);
      await team.untilKilled();
      await team.startWorker();
      await team.finish(four);
      // The kill point is between two steps of one run. The others may have a step under way: the engine cannot know
      // whether it happened, and does it again.
      for (const id of four) await check(id, { mayRepeat: id === "agent-3" ? 0 : 1 });
    }

    const story = whyOf(engine.why(killed.at(-1) ?? "plain"));
    assert.match(story, /ENDED +done in verifying/);
    const bytes = String(log.length);
    return (
      `${story}\n\nKilled: ${killed.join(", ")}. The same log each time (${bytes} bytes); ` +
      `${String(repeated)} steps that were under way ran again.`
    );
  } finally {
    await team.killWorker();
  }
}

function createTeam({ worker: [program = "", ...args], folder, answer }: DrilledEngine) {
  let current: ChildProcess | undefined;
  const waits = new Map<string, WaitLine>();
  const held = new Set<string>();
  const ended = new Set<string>();
  const failures = new Map<string, string>();
  const problems: string[] = [];
  let wake = (): void => undefined;
  const late = AbortSignal.timeout(DEADLINE_MS);
  late.addEventListener("abort", () => wake());
  const hear = (line: WorkerLine, ready: () => void): void => {
    if (line.did === "ready") ready();
    if (line.did === "end") ended.add(line.id);
    if (line.did === "fail") failures.set(line.id, line.why);
    // A worker that takes over says it again; a person answers once.
    if (line.did === "wait" && !waits.has(line.id)) {
      waits.set(line.id, line);
      if (!held.has(line.id)) answer(line, verdictOfPerson).catch((problem: unknown) => problems.push(String(problem)));
    }
    wake();
  };
  const until = async (isTrue: () => boolean, what: string): Promise<void> => {
    while (!isTrue()) {
      assert.ok(isRunning(current), `the worker ended before ${what}\n${problems.join("")}`);
      assert.ok(!late.aborted, `not in time: ${what}\n${problems.join("")}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const startWorker = async (orders: WorkerOrders = {}): Promise<void> => {
    const child = spawn(process.execPath, [program, folder, JSON.stringify(orders), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    current = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => problems.push(text));
    child.once("exit", () => wake());
    const ready = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("{")) hear(JSON.parse(line) as WorkerLine, resolve);
      });
    });
    await Promise.race([
      ready,
      once(child, "exit").then(() => assert.ok(orders.kill, `no worker\n${problems.join("")}`)),
    ]);
  };
  const killWorker = async (): Promise<void> => {
    if (!isRunning(current)) return;
    current.kill("SIGKILL");
    await once(current, "exit");
  };
  return {
    startWorker,
    killWorker,
    replaceWorker: async (orders: WorkerOrders = {}) => {
      await killWorker();
      await startWorker(orders);
    },
    /** Lets a run wait; the function that is returned answers it. */
    holdAnswer: (id: string) => {
      held.add(id);
      return async () => answer(waits.get(id) ?? assert.fail(`${id} does not wait`), verdictOfPerson);
    },
    untilWaiting: (id: string) => until(() => waits.has(id), `${id} waits`),
    untilFailed: async (id: string) => {
      await until(() => failures.has(id), `${id} fails`);
      return failures.get(id) ?? "";
    },
    untilKilled: async () => {
      if (isRunning(current)) await once(current, "exit", { signal: late });
      assert.equal(current?.signalCode, "SIGKILL", problems.join(""));
    },
    finish: (ids: readonly string[]) => until(() => ids.every((id) => ended.has(id)), `${ids.join(", ")} ended`),
  };
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

/** The log of a run as text, without its id. */
async function logOf({ read }: DrilledEngine, id: string): Promise<string> {
  const lines = (await read(id)).map((event) => `${JSON.stringify(event)}\n`);
  assert.ok(lines.length > 0, `${id} has no log`);
  return lines.join("").replaceAll(`"run":"${id}"`, '"run":"…"');
}

function effectsOf({ folder }: DrilledEngine, id: string): readonly string[] {
  return readFileSync(effectsFile(folder, id), "utf8").trim().split("\n");
}

/** The output of `phasekit why`. */
function whyOf(args: readonly string[]): string {
  const entry = fileURLToPath(import.meta.resolve("phasekit"));
  const bin = join(dirname(entry), `bin${extname(entry)}`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, "why", ...args], {
    encoding: "utf8",
    env: { ...process.env, COLUMNS: "120", NO_COLOR: "1", FORCE_COLOR: "" },
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}
