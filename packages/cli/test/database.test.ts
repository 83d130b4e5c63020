import { createPipeline, defineContracts } from "@phasekit/contracts";
import { codingRun } from "@phasekit/coding";
import { createRun } from "@phasekit/core";
import { storedRunOf, storeRun } from "@phasekit/ledger";
import {
  migrate,
  createPostgresReviewInbox,
  createPostgresRunStore,
  createPostgresWorkStore,
} from "@phasekit/postgres";
import { type PostgresServer, startPostgres } from "@phasekit/tooling/postgres-server";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyHome, errorLine, phasekit, phasekitHere, type CliResult } from "./run-cli.ts";

let server: PostgresServer;
let pool: Pool;
/** The port is another one every time. */
const fixed = ({ out, error, code }: CliResult): CliResult => ({
  code,
  out: out.replaceAll(/:\d{4,5}\//g, ":PORT/"),
  error: error.replaceAll(/:\d{4,5}\b/g, ":PORT"),
});
const here = async (...args: readonly string[]): Promise<CliResult> =>
  fixed(await phasekitHere(args, { env: { PHASEKIT_DATABASE_URL: server.url } }));

beforeAll(async () => {
  server = await startPostgres();
  pool = new Pool({ connectionString: server.url, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

async function storeRuns(schema: string, ids: readonly string[]): Promise<void> {
  await migrate(pool, { schema });
  let now = Date.UTC(2026, 0, 1);
  for (const id of ids) {
    const run = createRun({ id, clock: () => (now += 1000), task: { text: `Do ${id}` } });
    const stored = storeRun(run, createPostgresRunStore(pool, { schema }));
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "Read", input: { path: "a.ts" } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: "x" });
    run.end({ reason: "done" });
    await stored.close();
  }
}

describe("addresses", () => {
  it.each([
    {
      what: "no address at all",
      args: ["db", "status"],
      code: 2,
      error: errorLine(
        "BAD_ARGUMENT",
        "No database url given",
        "Fix: Add `--db postgres://user@host:5432/name`, or set PHASEKIT_DATABASE_URL or `database` in the config.",
      ),
    },
    {
      what: "no address after --db",
      args: ["why", "--db"],
      code: 2,
      error: /^BAD_ARGUMENT — No database url given/,
    },
    {
      what: "something else",
      args: ["why", "--db", "run-1"],
      code: 2,
      error: /^BAD_ARGUMENT — The database url does not start with postgres:/,
    },
    {
      what: "another kind of database",
      args: ["runs", "--db", "mysql://root:hunter2@localhost/app"],
      code: 2,
      error: /^BAD_ARGUMENT — The database url does not start with postgres:/,
    },
    {
      what: "an invalid schema name",
      args: ["runs", "--db", "postgres://localhost/app", "--schema", 'a"b'],
      code: 2,
      error: /^BAD_ARGUMENT — --schema "a"b" is not a valid name/,
    },
    {
      what: "a server that does not run",
      args: ["ui", "--db", "postgres://me:hunter2@127.0.0.1:1/app"],
      code: 3,
      error: errorLine(
        "NO_DATABASE",
        "Cannot use the database at postgres://127.0.0.1:1/app",
        "connect ECONNREFUSED 127.0.0.1:1",
        "Fix: Check that the server is running and that `psql <url>` connects.",
      ),
    },
  ])("phasekit with $what exits with $code", async ({ args, code, error }) => {
    const result = await phasekitHere(args);
    expect(result).toMatchObject({ code, out: "" });
    if (typeof error === "string") expect(result.error).toBe(error);
    else expect(result.error).toMatch(error);
    expect(result.error).not.toContain("hunter2");
  });

  it.each([
    {
      what: "a wrong password",
      change: (url: string) => url.replace("postgres:local@", "postgres:wrong@"),
      error: 'password authentication failed for user "postgres"',
    },
    {
      what: "a database that is not there",
      change: (url: string) => url.replace(/postgres$/, "nowhere"),
      error: 'database "nowhere" does not exist',
    },
  ])("phasekit with $what exits with 3", async ({ change, error }) => {
    const result = await phasekitHere(["runs", "--db", change(server.url)]);
    expect(result.code).toBe(3);
    expect(result.error).toContain(error);
  });

  it("runs without tables exits with 3 and says how to create them", async () => {
    expect(await here("runs", "--db", "--schema", "empty")).toEqual({
      code: 3,
      out: "",
      error: errorLine(
        "NO_TABLES",
        'The schema "empty" of the database at postgres://127.0.0.1:PORT/postgres lacks the tables of this version',
        "Fix: Create them with `phasekit db migrate --db <url>`.",
      ),
    });
  });

  it("--db wins over the variable, and the variable over the config", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.json"), JSON.stringify({ database: server.url }));
    const bad = "postgres://127.0.0.1:1/app";
    // An address that is merely found is a stranger's until the user names or approves the file.
    expect(await phasekitHere(["db", "status"], { cwd })).toMatchObject({
      code: 2,
      error: expect.stringContaining("phasekit trust ") as unknown,
    });
    expect(await phasekitHere(["db", "status", "--config", "phasekit.config.json"], { cwd })).toMatchObject({
      code: 1,
    });
    expect(await phasekitHere(["db", "status"], { cwd, env: { PHASEKIT_DATABASE_URL: bad } })).toMatchObject({
      code: 3,
    });
    expect(
      await phasekitHere(["db", "status", "--db", server.url], { cwd, env: { PHASEKIT_DATABASE_URL: bad } }),
    ).toMatchObject({ code: 1 });
  });
});

describe("phasekit db", () => {
  it("db migrate previews, creates and recognizes its tables", async () => {
    const dry = await here("db", "migrate", "--dry-run", "--schema", "made");
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/^-- 1 [\s\S]*create table "made"\./);
    expect(dry.out).toMatch(
      /pending for postgres:\/\/127\.0\.0\.1:PORT\/postgres, schema made\. Nothing was changed\.\n$/,
    );
    expect((await pool.query("select from pg_namespace where nspname = 'made'")).rowCount).toBe(0);

    const before = await here("db", "status", "--schema", "made");
    expect(before.code).toBe(1);
    expect(before.out).toMatch(/version 0\nPending: 1 /);
    expect((await here("db", "doctor", "--schema", "made")).out).toMatch(
      /problem {2}Tables .*run `phasekit db migrate`/,
    );

    const made = await here("db", "migrate", "--schema", "made");
    expect(made.code).toBe(0);
    expect(made.out).toMatch(
      /^Applied 1 .*\. postgres:\/\/127\.0\.0\.1:PORT\/postgres, schema made is now at version \d+\.\n$/,
    );
    expect((await here("db", "migrate", "--schema", "made")).out).toMatch(
      /^Up to date: postgres:\/\/127\.0\.0\.1:PORT\/postgres, schema made is at version \d+\.\n$/,
    );
  });

  it("db migrate stops at Ctrl-C, also while another process migrates, and changes nothing", async () => {
    const other = await pool.connect();
    const stop = new AbortController();
    try {
      await other.query("begin; select pg_advisory_xact_lock(8097855168846949748)");
      const stopped = phasekitHere(["db", "migrate", "--schema", "halted"], {
        env: { PHASEKIT_DATABASE_URL: server.url },
        signal: stop.signal,
      });
      const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
      await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 600_000 }).toBe(1);
      stop.abort();
      expect(await stopped).toMatchObject({ code: 130, out: expect.stringMatching(/^Stopped\./) as unknown });
    } finally {
      await other.query("rollback");
      other.release();
    }
    expect((await pool.query("select from pg_namespace where nspname = 'halted'")).rowCount).toBe(0);
    expect((await here("db", "migrate", "--schema", "halted")).out).toMatch(/^Applied 1 /);
  });

  it("db status counts runs and items", async () => {
    await storeRuns("counted", ["run-a"]);
    const work = createPostgresWorkStore(pool, { schema: "counted" });
    const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
    const pipeline = createPipeline({ store: work, contracts });
    for (const id of ["I-1", "I-2", "I-3"]) await pipeline.add({ id });
    await pipeline.submit("I-2", { completed_phase: "plan", contract_version: 1, recommended_next_phase: "build" });
    const { out, code } = await here("db", "status", "--schema", "counted");
    expect(code).toBe(0);
    const [database, newest, items] = out.split("\n");
    expect(database).toMatch(/^postgres:\/\/127\.0\.0\.1:PORT\/postgres, schema counted, version \d+$/);
    expect(newest).toMatch(/^Newest run: run-a, .*\.$/);
    expect(items).toBe("3 items: 1 with an open claim, 0 with an open review, 0 waiting for a revision.");
  });

  it("db doctor checks the setup", async () => {
    await migrate(pool, { schema: "sound" });
    const { out, code } = await here("db", "doctor", "--schema", "sound");
    expect(code).toBe(0);
    expect(
      out
        .replace(/PostgreSQL [\d.]+/, "PostgreSQL N")
        .replace(/\d+ of \d+/, "N of N")
        .replace(/version \d+/, "version N"),
    ).toMatchInlineSnapshot(`
      "ok  Server       PostgreSQL N at postgres://127.0.0.1:PORT/postgres
      ok  Writing      the database accepts writes
      ok  Tables       version N in schema sound
      ok  Encoding     UTF8
      ok  Durability   fsync on, synchronous_commit on
      ok  Connections  N of N in use
      ok  Clock        in sync with this machine

      No problems found.
      "
    `);
    const url = new URL(server.url);
    url.searchParams.set("options", "-c default_transaction_read_only=on -c synchronous_commit=off");
    const bad = await phasekitHere(["db", "doctor", "--db", url.href, "--schema", "sound"]);
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/problem {2}Writing {6}transactions are read-only/);
    expect(bad.out).toMatch(/problem {2}Durability {3}synchronous_commit is off/);
    expect(bad.out).toMatch(/2 problems found\.\n$/);
  });

  it("db prune removes old runs and delivered messages, and counts them first with --dry-run", async () => {
    await storeRuns("pruned", ["run-a", "run-b"]);
    const store = createPostgresRunStore(pool, { schema: "pruned" });
    const fresh = createRun({ id: "run-c" });
    await storeRun(fresh, store).close();
    const work = createPostgresWorkStore(pool, { schema: "pruned" });
    const contracts = defineContracts([{ phase: "plan" }, { phase: "build" }]);
    const pipeline = createPipeline({ store: work, contracts, deliver: () => undefined });
    await pipeline.add({ id: "I-1" });
    await pipeline.submit("I-1", { completed_phase: "plan", contract_version: 1, recommended_next_phase: "build" });
    const { delivered } = (await pipeline.tick()).hooks;
    // As if that was long ago.
    await pool.query("update pruned.outbox set due_at = 0");
    const prune = (...args: readonly string[]): Promise<CliResult> =>
      here("db", "prune", "--schema", "pruned", "--older-than", "2026-06-01", ...args);
    expect(await prune("--dry-run")).toEqual({
      code: 0,
      error: "",
      out: "Would remove 2 runs without an event since 2026-06-01T00:00:00.000Z. Nothing was changed.\n",
    });
    expect((await store.list()).length).toBe(3);
    expect((await prune()).out).toBe(
      `Removed 2 runs without an event since 2026-06-01T00:00:00.000Z and ${String(delivered)} delivered messages.\n`,
    );
    expect((await store.list()).map(({ run }) => run)).toEqual(["run-c"]);
    expect((await pool.query("select distinct run from pruned.event")).rows).toEqual([{ run: "run-c" }]);
    expect((await work.history("I-1")).advances.length).toBe(1);
    expect((await prune("--json")).out).toMatch(/"runs":0,"messages":0/);
  });

  it.each([
    { args: [], error: /^BAD_ARGUMENT — db prune needs an age/ },
    { args: ["--older-than", "soon"], error: /^BAD_ARGUMENT — --older-than cannot be "soon"/ },
  ])("db prune $args exits with 2", async ({ args, error }) => {
    await migrate(pool, { schema: "pruned" });
    const result = await here("db", "prune", "--schema", "pruned", ...args);
    expect(result.code).toBe(2);
    expect(result.error).toMatch(error);
  });

  it("db rejects an unknown action", async () => {
    expect(await here("db", "drop")).toMatchObject({
      code: 2,
      error: errorLine(
        "BAD_ARGUMENT",
        'Unknown action "drop"',
        "Fix: Use `phasekit db migrate`, `phasekit db status`, `phasekit db doctor` or `phasekit db prune`.",
      ),
    });
  });
});

describe("--db", () => {
  beforeAll(() => storeRuns("kept", ["run-old", "run-new"]));

  it("why --db shows the newest run, or the named one", async () => {
    const newest = await here("why", "--db", "--schema", "kept");
    expect(newest.code).toBe(0);
    expect(newest.out).toMatch(/^Phasekit · run-new · /);
    expect((await here("why", "run-old", "--db", "--schema", "kept")).out).toMatch(/^Phasekit · run-old · /);
    expect((await here("why", "run-o", "--db", "--schema", "kept")).out).toMatch(/^Phasekit · run-old · /);
    expect(await here("why", "run-x", "--db", "--schema", "kept")).toMatchObject({
      code: 3,
      error: errorLine(
        "NO_SUCH_RUN",
        'No log or run matches "run-x"',
        "no run in the database at postgres://127.0.0.1:PORT/postgres has this id",
        "Fix: List the runs of the database with `phasekit runs --db`.",
      ),
    });
  });

  it("runs --db lists only the runs of the database", async () => {
    const { out } = await here("runs", "--db", "--schema", "kept", "--json");
    const { runs } = JSON.parse(out) as {
      readonly runs: readonly { readonly about: { readonly id: string }; readonly path: string }[];
    };
    expect(runs.map(({ about, path }) => `${about.id} ${path}`)).toEqual([
      "run-new postgres://127.0.0.1:PORT/postgres",
      "run-old postgres://127.0.0.1:PORT/postgres",
    ]);
    await migrate(pool, { schema: "bare" });
    expect(await here("runs", "--db", "--schema", "bare")).toMatchObject({
      code: 3,
      error: expect.stringMatching(
        /^NO_LOGS — No agent logs found — searched postgres:.*createPostgresRunStore.*`phasekit runs --db`/,
      ) as unknown,
    });
  });

  it("check --db gates every run of the database, and --only-latest the newest", async () => {
    await storeRuns("gated", ["run-good"]);
    const store = createPostgresRunStore(pool, { schema: "gated" });
    const run = codingRun({ id: "run-claimed", clock: () => Date.UTC(2026, 0, 2), store });
    run.beforeTurn();
    run.record({ type: "tool.finished", tool: "Edit", outcome: "ok", input: { file_path: "a.ts" } });
    run.beforeFinish({ text: "Done." });
    run.end({ reason: "done_unverified" });
    await storedRunOf(run)?.close();
    const all = await here("check", "--db", "--schema", "gated");
    expect(all.code).toBe(1);
    expect(all.out).toMatch(/run-claimed/);
    expect(all.out).toContain("2 runs: 1 passed, 1 failed");
    expect((await here("check", "--db", "--schema", "gated", "--only-latest")).code).toBe(1);
    expect((await here("check", "run-good", "--db", "--schema", "gated")).code).toBe(0);
    const { passed, runs } = JSON.parse((await here("check", "--db", "--schema", "gated", "--json")).out) as {
      readonly passed: boolean;
      readonly runs: readonly { readonly about: { readonly id: string }; readonly passed: boolean }[];
    };
    expect({ passed, runs: runs.map(({ about, passed: own }) => `${about.id} ${String(own)}`).sort() }).toEqual({
      passed: false,
      runs: ["run-claimed false", "run-good true"],
    });
  });

  it("runs without --db does not read the database", async () => {
    expect(await here("runs")).toMatchObject({
      code: 3,
      error: expect.stringMatching(/^NO_LOGS .*\.claude/) as unknown,
    });
  });

  it("report --db writes a page of one and of two runs", async () => {
    const out = join(emptyHome(), "page.html");
    expect((await here("report", "run-old", "--db", "--schema", "kept", "--out", out)).code).toBe(0);
    expect(existsSync(out)).toBe(true);
    expect(readFileSync(out, "utf8")).toContain("<title>Do run-old</title>");
    expect(
      (await here("report", "--compare", "run-old", "run-new", "--db", "--schema", "kept", "--out", out)).code,
    ).toBe(0);
    expect(readFileSync(out, "utf8")).toContain("run-new");
  });

  it("ui --db serves runs until aborted", async () => {
    const leaving = new AbortController();
    const shown: { count?: number; other?: number } = {};
    const result = await phasekitHere(["ui", "--db", server.url, "--schema", "kept", "--json"], {
      signal: leaving.signal,
      onOut: async (text) => {
        const { url, event } = JSON.parse(text) as { readonly url?: string; readonly event?: string };
        if (url === undefined || event !== "listening") return;
        const { origin } = new URL(url);
        const token = await tokenFor(url);
        shown.count = (
          (await (
            await fetch(`${origin}/api/runs`, { headers: { "x-phasekit-token": token } })
          ).json()) as readonly unknown[]
        ).length;
        shown.other = (await fetch(`${origin}/api/runs`)).status;
        leaving.abort();
      },
    });
    expect(result.code).toBe(0);
    expect(shown).toEqual({ count: 2, other: 401 });
    expect((await here("ui", "folder", "--db", "--schema", "kept")).code).toBe(2);
  });

  it("ui --db delivers an answer to the waiting agent", async () => {
    const leaving = new AbortController();
    const statuses: number[] = [];
    const waiting = createPostgresReviewInbox(pool, { schema: "kept" }).waitForAnswer("run-new", "review-1");
    await phasekitHere(["ui", "--db", server.url, "--schema", "kept", "--json"], {
      signal: leaving.signal,
      onOut: async (text) => {
        const { url, event } = JSON.parse(text) as { readonly url?: string; readonly event?: string };
        if (url === undefined || event !== "listening") return;
        const { origin } = new URL(url);
        const token = await tokenFor(url);
        const answer = (verdict: string): Promise<Response> =>
          fetch(`${origin}/api/runs/run-new/reviews/review-1`, {
            method: "POST",
            headers: {
              "x-phasekit-token": token,
              "content-type": "application/json",
              origin,
            },
            body: JSON.stringify({ verdict, feedback: "Go on." }),
          });
        statuses.push((await answer("approve")).status, (await answer("reject")).status);
        leaving.abort();
      },
    });
    expect(statuses).toEqual([200, 409]);
    expect(await waiting).toEqual({ verdict: "approve", feedback: "Go on." });
  });

  it("the built program reads a database too", async () => {
    expect(await phasekit(["why", "run-old", "--db", server.url, "--schema", "kept"])).toMatchObject({
      code: 0,
      error: "",
    });
    expect(await phasekit(["why", "--db", "postgres://127.0.0.1:1/app"])).toMatchObject({ code: 3, out: "" });
  });
});

/** The token for the code in an address. */
async function tokenFor(url: string): Promise<string> {
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: hash.replace("#code=", "") }),
  });
  return ((await response.json()) as { readonly token: string }).token;
}
