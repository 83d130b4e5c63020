// A team on one PostgreSQL: six agents bring 50 items through the readiness phases, three worker processes decide what
// they claim, and one of the workers is killed on the way. In the end every item went through every phase exactly once.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createPipeline, contractsOrThrow } from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { migrate, createPostgresLeaseStore, createPostgresRunStore, createPostgresWorkStore } from "@phasekit/postgres";
import type { Overview } from "@phasekit/report";
import { serveRuns } from "@phasekit/report/node";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import { Pool } from "pg";
import { isHasty, workAsAgent } from "./agent.ts";
import type { WorkerLine } from "./worker.ts";

const ITEMS = Array.from({ length: 50 }, (_, index) => `ITEM-${String(index + 1).padStart(2, "0")}`);
const PHASES = ["research", "architecture", "grooming", "ready"];
const AGENTS = 6;
const WORKERS = 3;
/** The worker that makes this advancement is killed right after it. */
const KILL_AT = 60;
const DEADLINE_MS = 120_000;

const database = await startPostgres();
const pool = new Pool({ connectionString: database.url, max: 12 });
const workers: ChildProcess[] = [];
try {
  await migrate(pool);
  const work = createPostgresWorkStore(pool);
  const runs = createPostgresRunStore(pool);
  const contracts = contractsOrThrow(await loadContracts(join(import.meta.dirname, "phases")));
  for (const id of ITEMS) await createPipeline({ store: work, contracts }).add({ id });

  const heard: WorkerLine[] = [];
  const problems: string[] = [];
  let killed: ChildProcess | undefined;
  const hear = (worker: ChildProcess, line: WorkerLine): void => {
    heard.push(line);
    if (killed === undefined && heard.filter(({ did }) => did === "advanced").length === KILL_AT) {
      killed = worker;
      worker.kill("SIGKILL");
    }
  };
  for (let n = 0; n < WORKERS; n += 1) {
    const worker = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), database.url], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    createInterface({ input: worker.stdout }).on("line", (line) => hear(worker, JSON.parse(line) as WorkerLine));
    worker.stderr.setEncoding("utf8").on("data", (text: string) => problems.push(text));
    workers.push(worker);
  }

  const token: string = randomUUID();
  const served = await serveRuns({ store: runs, title: "The team", token });
  const { origin } = new URL(served.url);
  const ask = (path: string, headers = { "x-phasekit-token": token }): Promise<Response> =>
    fetch(`${origin}${path}`, { headers });

  const late = AbortSignal.timeout(DEADLINE_MS);
  const team = Promise.all(
    Array.from({ length: AGENTS }, (_, n) =>
      workAsAgent(`agent-${n + 1}`, { work, runs, leases: createPostgresLeaseStore(pool), contracts }),
    ),
  );
  const done = await Promise.race([
    team,
    once(late, "abort").then(() => assert.fail(`not done in time\n${problems.join("")}`)),
  ]);

  // Another worker delivers the hooks the killed worker had taken from the outbox.
  const advances = (): number =>
    new Set(heard.flatMap((line) => (line.did === "delivered" && line.name === "on-phase-advance" ? [line.hook] : [])))
      .size;
  const changeRequests = (): number =>
    new Set(heard.flatMap((line) => (line.did === "delivered" && line.name === "pr_created" ? [line.item] : []))).size;
  while (advances() < ITEMS.length * PHASES.length || changeRequests() < ITEMS.length) {
    assert.ok(
      !late.aborted,
      `the outbox is not empty in time: ${advances()} advancements and ${changeRequests()} change requests delivered\n` +
        problems.join(""),
    );
    await delay(50);
  }

  let doubled = 0;
  let lost = 0;
  const claims = new Set<string>();
  for (const id of ITEMS) {
    const { item, reviews } = (await work.load(id)) ?? assert.fail(`${id} is gone`);
    const { advances: made } = await work.history(id);
    doubled += made.length - new Set(made.map(({ entry }) => entry)).size;
    lost += item.completed ? 0 : 1;
    assert.deepEqual(
      made.map(({ entry, from, to }) => `${entry} ${from} ${to ?? "end"}`),
      ["1 research architecture", "2 architecture grooming", "3 grooming ready", "4 ready end"],
    );
    assert.equal(item.status, "review");
    assert.deepEqual(item.changeRequest, { id: `change-for-${id}` });
    assert.equal(
      item.artifacts.filter(({ status }) => status === "rejected").length,
      isHasty(id) ? 1 : 0,
      "the judge sends back a design without alternatives, once",
    );
    assert.ok(reviews.every(({ state }) => state !== "open"));
    for (const { claimId } of made) claims.add(claimId);
  }
  assert.equal(doubled, 0);
  assert.equal(lost, 0);
  assert.equal(claims.size, ITEMS.length * PHASES.length, "every advancement has a claim of its own");
  const advanced = heard.flatMap((line) => (line.did === "advanced" ? [line.claim] : []));
  assert.equal(new Set(advanced).size, advanced.length, "no two workers believe that they advanced the same claim");
  assert.ok(
    advanced.every((claim) => claims.has(claim)),
    "every claim a worker advanced is stored",
  );
  assert.equal(
    done.reduce((sum, count) => sum + count, 0),
    ITEMS.length,
    "no two agents brought the same item through",
  );

  assert.equal(
    (await ask("/api/runs", { "x-phasekit-token": "" })).status,
    401,
    "without the token there is nothing to see",
  );
  const shown = (await (await ask("/api/runs")).json()) as readonly unknown[];
  assert.equal(shown.length, ITEMS.length);
  const [first = ""] = ITEMS;
  const overview = (await (await ask(`/api/runs/run-${first}`)).json()) as Overview;
  assert.deepEqual(
    overview.line.phases.map(({ phase }) => phase),
    PHASES,
    "each with its phases",
  );
  await served.close();
  const stored = await runs.list({ limit: 1000 });
  assert.deepEqual(
    new Set(
      stored.map(
        ({ reason, phase, verified }) =>
          `${reason ?? ""} in ${phase}, ${verified === true ? "verified" : "not verified"}`,
      ),
    ),
    new Set(["done in ready, verified"]),
  );

  for (const worker of workers) worker.kill("SIGTERM");
  const ends = await Promise.all(workers.map(endOf));
  assert.deepEqual(ends.sort(), ["0", "0", "SIGKILL"], "one was killed, the others exit on SIGTERM");
  assert.equal(problems.join(""), "");
  console.log(
    `${ITEMS.length} items, ${claims.size} advancements, ${ITEMS.filter(isHasty).length} designs sent back, ` +
      `1 of ${WORKERS} workers killed: ${doubled} doubled, ${lost} lost. The live view shows ${shown.length} runs.`,
  );
} finally {
  for (const worker of workers) worker.kill("SIGKILL");
  await pool.end();
  await database.stop();
}

async function endOf(worker: ChildProcess): Promise<string> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
  return worker.signalCode ?? String(worker.exitCode);
}
