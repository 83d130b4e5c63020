import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:http2";
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { WriteStep } from "@phasekit/durable";
import { agentLoop } from "@phasekit/example-durable-agent";
import { bareLoop } from "@phasekit/example-durable-agent/bare-loop";
import { scriptedModel, scriptedTool, turnsOfScript, verdictOfPerson } from "@phasekit/example-durable-agent/script";
import { post, startRestate } from "@phasekit/example-restate/server";
import { startPostgres } from "@phasekit/tooling/postgres-server";
import * as restate from "@restatedev/restate-sdk";
import { defineComparison } from "./comparison.ts";
import { measureAsync, median, ratio, type Samples } from "./measure.ts";

const BLOCKS = 21;
/** Loops of a block. */
const LOOPS = 5;

/** Runs one loop of an agent in an engine, with Phasekit or without. */
type RunLoop = (isBare: boolean) => Promise<void>;

/** The cost of Phasekit inside durable engines; the model and the tools take no time. */
export const engineCost = defineComparison({
  title: "Cost of a turn inside a durable engine",
  baseline: "the same agent in the same engine, without Phasekit",
  rows: {
    dbos: { what: "DBOS on PostgreSQL, every commit on the disk", unit: "×" },
    restate: { what: "Restate, its server on this machine", unit: "×" },
    added: { what: "a journal in memory: the time that Phasekit adds to a turn", unit: "ms" },
  },
  measure: async ({ pause, row, now }) => {
    const notes: string[] = [];
    const compare = async (run: RunLoop): Promise<Readonly<Record<"bare" | "phasekit", Samples>>> =>
      measureAsync(
        [
          { name: "bare", run: () => repeat(run, true) },
          { name: "phasekit", run: () => repeat(run, false) },
        ],
        { blocks: BLOCKS, pause },
      );
    const tell = (name: "dbos" | "restate", { bare, phasekit }: Awaited<ReturnType<typeof compare>>): void =>
      row(name, ratio(phasekit, bare), `${perTurn(bare)} → ${perTurn(phasekit)} ms per turn`);
    now("DBOS");
    await inDbos(async (run) => tell("dbos", await compare(run)));
    now("Restate");
    await inRestate(async (run) => tell("restate", await compare(run)));
    now("in memory");
    const { bare, phasekit } = await compare((isBare) => loop("memory", isBare, (_name, work) => work()));
    row("added", Number(perTurn(phasekit)) - Number(perTurn(bare)));
    notes.push(
      "With Phasekit, the loop of 18 steps has 4 more: the start, a review and its log, and the log at the end.",
    );
    return notes;
  },
});

async function repeat(run: RunLoop, isBare: boolean): Promise<void> {
  for (let n = 0; n < LOOPS; n += 1) await run(isBare);
}

const perTurn = (samples: Samples): string => (median(samples) / 1e6 / LOOPS / turnsOfScript).toFixed(2);

async function loop(id: string, isBare: boolean, write: WriteStep): Promise<void> {
  const host = { id, write, model: scriptedModel, tool: scriptedTool };
  if (isBare) return bareLoop(host);
  await agentLoop({
    ...host,
    waitForPerson: () => Promise.resolve(verdictOfPerson),
    store: (events, after) => Promise.resolve(events.at(-1)?.seq ?? after),
  });
}

async function inDbos(measure: (run: RunLoop) => Promise<void>): Promise<void> {
  const database = await startPostgres();
  const agent = DBOS.registerWorkflow(
    (isBare: boolean) => loop(DBOS.workflowID ?? "", isBare, (name, work) => DBOS.runStep(work, { name })),
    { name: "agent" },
  );
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: database.url, logLevel: "error" });
  await DBOS.launch();
  try {
    await measure(agent);
  } finally {
    await DBOS.shutdown();
    await database.stop();
  }
}

async function inRestate(measure: (run: RunLoop) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "phasekit-bench-"));
  const server = await startRestate(folder);
  if ("unavailable" in server) throw new Error(server.unavailable);
  const agent = restate.service({
    name: "agent",
    handlers: {
      run: (context: restate.Context, isBare: boolean) =>
        loop("agent", isBare, (name, work) => context.run(name, work)),
    },
  });
  const endpoint = createServer(restate.createEndpointHandler({ services: [agent], logger: () => undefined })).listen(
    0,
    "127.0.0.1",
  );
  try {
    await new Promise((resolve) => endpoint.once("listening", resolve));
    await server.register((endpoint.address() as AddressInfo).port);
    await measure(async (isBare) => {
      const { ok, status } = await post(`${server.ingress}/agent/run`, isBare);
      if (!ok) throw new Error(`Restate answered ${String(status)}.`);
    });
  } finally {
    endpoint.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
