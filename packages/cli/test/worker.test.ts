import {
  type ContractSet,
  contractsOrThrow,
  createMemoryArtifacts,
  createPipeline,
  type Pipeline,
  type WorkStore,
} from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { migrate, createPostgresWorkStore } from "@phasekit/postgres";
import { type PostgresServer, startPostgres } from "@phasekit/tooling/postgres-server";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fromSources } from "@phasekit/tooling/source-condition";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyHome, phasekitHere, processEnv } from "./run-cli.ts";

const BIN = join(import.meta.dirname, "../src/bin.ts");
const CONTRACT = (phase: string, next: string, rest = ""): string =>
  [
    "---",
    `phase: ${phase}`,
    "contract_version: 1",
    `artifact_path: "docs/{identifier}/${phase}.md"`,
    "required_sections: [summary]",
    `next_phase: ${next}`,
    `${rest}---`,
    "Do it.\n",
  ].join("\n");
const CONFIG = `import { appendFileSync } from "node:fs";
export default {
  contracts: "phases",
  worker: {
    judge: ({ artifact }) => ({
      verdict: artifact.includes("good") ? "approved" : "rejected",
      reason: "It was read.",
      fix_instructions: "Make it good.",
    }),
    deliver: ({ id, name }) => appendFileSync(new URL("delivered.txt", import.meta.url), name + " " + id + "\\n"),
  },
};
`;

let server: PostgresServer;
let pool: Pool;
let schemas = 0;

interface Place {
  readonly cwd: string;
  readonly schema: string;
  readonly work: WorkStore;
  readonly contracts: ContractSet;
}

/** A project with two contracts, the second one with a judge, and tables of its own. */
async function project({ config = CONFIG }: { readonly config?: string } = {}): Promise<Place> {
  const cwd = emptyHome();
  mkdirSync(join(cwd, "phases"));
  writeFileSync(join(cwd, "phases/plan.md"), CONTRACT("plan", "build"));
  writeFileSync(join(cwd, "phases/build.md"), CONTRACT("build", "null", "validation:\n  mode: judge\n"));
  writeFileSync(join(cwd, "phasekit.config.mjs"), config);
  const schema = `w${String((schemas += 1))}`;
  await migrate(pool, { schema });
  return {
    cwd,
    schema,
    work: createPostgresWorkStore(pool, { schema }),
    contracts: contractsOrThrow(await loadContracts(join(cwd, "phases"))),
  };
}

const pipelineOf = ({ work: store, contracts }: Place): Pipeline => createPipeline({ store, contracts });

async function claim(
  { work, contracts }: Place,
  { item, phase, text }: { readonly item: string; readonly phase: "plan" | "build"; readonly text: string },
): Promise<void> {
  const artifacts = createMemoryArtifacts({
    project: new Map([[`docs/${item}/${phase}.md`, `## Summary\n\n${text}\n`]]),
  });
  await createPipeline({ store: work, contracts, artifacts }).submit(item, {
    completed_phase: phase,
    contract_version: 1,
    recommended_next_phase: phase === "plan" ? "build" : null,
  });
}

async function phaseOf({ work }: Place, item: string): Promise<string> {
  const found = (await work.load(item))?.item;
  return `${found?.phase ?? ""}${found?.completed === true ? ", completed" : ""}`;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(30);
}

beforeAll(async () => {
  server = await startPostgres();
  pool = new Pool({ connectionString: server.url, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

describe("phasekit worker --once", () => {
  const once_ = ({ cwd, schema }: Place, ...more: readonly string[]): ReturnType<typeof phasekitHere> =>
    phasekitHere(
      [
        "worker",
        "--once",
        "--name",
        "w-1",
        "--config",
        "phasekit.config.mjs",
        "--db",
        server.url,
        "--schema",
        schema,
        ...more,
      ],
      { cwd },
    );

  it("worker --once decides claims, asks the judge and delivers messages", async () => {
    const place = await project();
    for (const id of ["I-1", "I-2", "I-3"]) await pipelineOf(place).add({ id });
    await claim(place, { item: "I-1", phase: "plan", text: "x" });
    expect(await once_(place)).toEqual({
      code: 0,
      error: "",
      out: [
        'w-1: claim_advanced I-1 plan: Phase "plan" is complete; now in "build".',
        "w-1: 1 round: 1 advanced, 0 rejected, 0 expired, 4 messages delivered.\n",
      ].join("\n"),
    });
    await claim(place, { item: "I-1", phase: "build", text: "bad" });
    expect((await once_(place, "--json")).out).toMatch(
      /"command":"worker","exitCode":0,"worker":"w-1","rounds":1,"advanced":0,"rejected":1,/,
    );
    await claim(place, { item: "I-1", phase: "build", text: "good" });
    expect((await once_(place)).out).toMatch(/\nw-1: 1 round: 1 advanced, 0 rejected, /);
    expect(await phaseOf(place, "I-1")).toBe("build, completed");
    expect(await phaseOf(place, "I-2")).toBe("plan");
    expect((await once_(place)).out).toBe("w-1: 1 round: 0 advanced, 0 rejected, 0 expired, 0 messages delivered.\n");
  });

  it("worker --once without judge and deliver leaves reviews and messages waiting", async () => {
    const place = await project({ config: 'export default { contracts: "phases" };\n' });
    await pipelineOf(place).add({ id: "I-1", phase: "build" });
    await claim(place, { item: "I-1", phase: "build", text: "good" });
    expect((await once_(place)).out).toMatch(/1 round: 0 advanced, 0 rejected, 0 expired, 0 messages delivered\.\n$/);
    expect(await place.work.list({ having: "open-review" })).toEqual(["I-1"]);
  });

  it.each([
    { what: "missing tables", args: ["--schema", "nothing"], code: 3, error: /^NO_TABLES/ },
    {
      what: "missing contracts",
      args: ["--dir", "nowhere"],
      code: 2,
      error: /^BAD_ARGUMENT — There is no contracts folder ".*nowhere"/,
    },
    {
      what: "an interval that is not a number",
      args: ["--interval", "soon"],
      code: 2,
      error: /^BAD_ARGUMENT — --interval must be a whole number, not "soon"/,
    },
  ])("worker with $what exits with $code", async ({ args, code, error }) => {
    const place = await project();
    const result = await once_(place, ...args);
    expect(result.code).toBe(code);
    expect(result.error).toMatch(error);
  });
});

describe("phasekit worker", () => {
  interface Started {
    readonly child: ChildProcess;
    readonly health: string;
    readonly lines: Readonly<Record<string, unknown>>[];
  }

  async function start(
    { cwd, schema }: Pick<Place, "cwd" | "schema">,
    { url = server.url, interval = 20 } = {},
  ): Promise<Started> {
    const child = spawn(
      process.execPath,
      fromSources(
        BIN,
        "worker",
        "--json",
        "--config",
        "phasekit.config.mjs",
        "--interval",
        String(interval),
        "--schema",
        schema,
      ),
      {
        cwd,
        env: { ...processEnv, HOME: cwd, PHASEKIT_DATABASE_URL: url },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const lines: Record<string, unknown>[] = [];
    const reader = createInterface({ input: child.stdout }).on("line", (line) =>
      lines.push(JSON.parse(line) as Record<string, unknown>),
    );
    await once(reader, "line");
    return { child, lines, health: String(lines[0]?.["health"]) };
  }

  it.each(["SIGTERM", "SIGINT"] as const)(
    "two of them share the work, say how they are, and leave on %s",
    async (signal) => {
      const place = await project();
      const items = Array.from({ length: 10 }, (_, index) => `I-${String(index)}`);
      for (const id of items) await pipelineOf(place).add({ id });
      const workers = await Promise.all([start(place), start(place)]);
      expect(workers.map(({ lines }) => lines[0])).toMatchObject([
        { v: 2, event: "listening" },
        { v: 2, event: "listening" },
      ]);
      // Lines of both in one log tell which worker wrote them.
      const names = workers.map(({ lines }) => String(lines[0]?.["worker"]));
      expect(new Set(names).size).toBe(2);
      for (const phase of ["plan", "build"] as const) {
        await Promise.all(items.map((item) => claim(place, { item, phase, text: "good" })));
        await until(async () => (await place.work.list({ having: "open-claim" })).length === 0);
      }
      for (const { health } of workers) {
        await until(async () => (await fetch(health)).ok);
        expect(await (await fetch(health)).json()).toMatchObject({ ok: true, problem: null });
        expect(names).toContain(((await (await fetch(health)).json()) as { readonly worker: string }).worker);
        expect((await fetch(health.replace("/health", "/"))).status).toBe(404);
        expect((await fetch(health, { method: "POST" })).status).toBe(404);
      }
      const ends = workers.map(({ child }) => once(child, "close"));
      for (const { child } of workers) child.kill(signal);
      expect(await Promise.all(ends)).toEqual([
        [0, null],
        [0, null],
      ]);
      for (const [index, { lines }] of workers.entries())
        expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([names[index]]));
      // Every advancement was made once, and one of the two says that it made it.
      const advanced = workers.map(({ lines }) => Number(lines.at(-1)?.["advanced"]));
      expect(advanced.reduce((sum, count) => sum + count, 0)).toBe(items.length * 2);
      for (const item of items) {
        expect((await place.work.history(item)).advances.map(({ from }) => from)).toEqual(["plan", "build"]);
        expect(await phaseOf(place, item)).toBe("build, completed");
      }
    },
  );

  it("a claim wakes the worker before its interval", async () => {
    const place = await project();
    await pipelineOf(place).add({ id: "I-1" });
    const { child, health } = await start(place, { interval: 1_000_000_000 });
    await until(async () => (await fetch(health)).ok);
    for (const phase of ["plan", "build"] as const) {
      await claim(place, { item: "I-1", phase, text: "good" });
      await until(async () => (await place.work.list({ having: "open-claim" })).length === 0);
    }
    expect(await phaseOf(place, "I-1")).toBe("build, completed");
    const end = once(child, "close");
    child.kill("SIGTERM");
    expect(await end).toEqual([0, null]);
  });

  it("health is 503 while the tables are missing, and 200 when they are back", async () => {
    const place = await project();
    const { child, health } = await start(place);
    await until(async () => (await fetch(health)).ok);
    await pool.query(`alter schema ${place.schema} rename to away`);
    await until(async () => (await fetch(health)).status === 503);
    expect(await (await fetch(health)).json()).toMatchObject({
      ok: false,
      problem: expect.stringContaining("does not exist") as unknown,
    });
    await pool.query(`alter schema away rename to ${place.schema}`);
    await until(async () => (await fetch(health)).ok);
    const end = once(child, "close");
    child.kill("SIGTERM");
    expect(await end).toEqual([0, null]);
  });

  it("the worker survives the loss of its database and stops on SIGTERM", async () => {
    const doomed = await startPostgres();
    const own = new Pool({ connectionString: doomed.url, max: 1 });
    await migrate(own);
    await own.end();
    const { cwd } = await project();
    const { child, health } = await start({ cwd, schema: "phasekit" }, { url: doomed.url });
    await until(async () => (await fetch(health)).ok);
    await doomed.stop();
    await until(async () => (await fetch(health)).status === 503);
    expect(await (await fetch(health)).json()).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^The database does not answer/) as unknown,
    });
    const end = once(child, "close");
    child.kill("SIGTERM");
    expect(await end).toEqual([1, null]);
  });
});
