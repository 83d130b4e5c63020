import { contractsOrThrow, type WorkLogLine } from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { migrate, watchChanges } from "@phasekit/postgres";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { countOption, isSet, textOption } from "../command-options.ts";
import { badArgument, noTables } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { plural } from "../render/numbers.ts";
import { createWorker } from "../worker/run-worker.ts";
import { serveHealth } from "../worker/serve-health.ts";

const INTERVAL_MS = 500;

/** Decides claims, asks judges, lets waits run out and delivers messages, round after round, until it is told to stop. */
export const worker: CommandRun = async ({ options }, context) => {
  const { database, json, terminal, signal, now } = context;
  if (database === undefined) throw new Error("The command worker was called without a database.");
  const { config, folder } = await context.config();
  const directory = resolve(folder, textOption(options, "dir") ?? config.contracts ?? "contracts");
  if (!existsSync(directory)) throw badArgument(`There is no folder of contracts at ${directory}`, "Name it with `--dir <folder>` or `contracts` in the config.");
  const port = countOption(options, "port") ?? 0;
  const intervalMs = countOption(options, "interval") ?? INTERVAL_MS;
  const contracts = contractsOrThrow(await loadContracts(directory));
  if ((await migrate(database.pool, { schema: database.schema, dryRun: true })).applied.length > 0) throw noTables(database.place, database.schema);

  const print = (data: object, text: string): void => { terminal.out(`${json ? JSON.stringify({ v: 1, ...data }) : text}\n`); };
  const log = (line: WorkLogLine): void => { print(line, cleanText(`${line.event} ${line.identifier} ${line.phase}: ${line.text}`)); };
  const onProblem = (problem: string): void => { terminal.error(`${cleanText(problem)}\n`); };
  const isOnce = isSet(options, "once");
  // What is claimed is decided at once; the interval is for what nobody announces, such as waits that run out.
  const changes = isOnce ? undefined : watchChanges(database.pool, { schema: database.schema, topic: "work" });
  const { round, run, status } = createWorker(database.work, { contracts, config: config.worker ?? {}, intervalMs, log, onProblem, now, signal, ...(changes !== undefined && { pause: (ms) => changes.wait(ms, { signal }) }) });
  if (isOnce) {
    await round();
  } else {
    const health = await serveHealth(status, { port });
    print({ event: "listening", health: health.url, place: database.place }, `Working on ${database.place}\nHealth: ${health.url}\nCtrl-C or SIGTERM ends it after the round it is in.`);
    try {
      await run();
    } finally {
      changes?.close();
      await health.close();
    }
  }
  const { rounds, advanced, rejected, expired, delivered, problem } = status();
  return {
    exitCode: problem === null ? exitCodes.ok : exitCodes.findings,
    data: status(),
    lines: [`${plural(rounds, "round")}: ${String(advanced)} advanced, ${String(rejected)} rejected, ${String(expired)} expired, ${plural(delivered, "message")} delivered.`],
  };
};
