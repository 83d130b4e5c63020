import { contractsOrThrow, type WorkLogLine } from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { migrate, watchChanges } from "@phasekit/postgres";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { relative, resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { countOption, portOption, isSet, textOption } from "../command-options.ts";
import { trustCommand } from "../config/load-config.ts";
import { badArgument, noTables, untrustedConfig } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { plural } from "../render/numbers.ts";
import { safeJson } from "../render/safe-json.ts";
import { createWorker } from "../worker/run-worker.ts";
import { serveHealth } from "../worker/serve-health.ts";

const INTERVAL_MS = 500;

/** Processes claims, runs judges, expires revisions and delivers hooks, in rounds, until stopped. */
export const worker: CommandRun = async ({ options }, context) => {
  const { database, json, terminal, signal, now } = context;
  if (database === undefined) throw new Error("The command worker was called without a database.");
  const { config, folder, ignored } = await context.config();
  // Without its checks and judges a worker would approve too much, so it refuses to start.
  const [left] = ignored.filter(({ why }) => why !== "unsafe");
  if (left !== undefined)
    throw untrustedConfig(
      relative(context.cwd, left.path),
      left.why === "changed" ? "it changed since you approved it" : "you have not approved it",
      trustCommand(relative(context.cwd, left.path)),
    );
  const directory = resolve(folder, textOption(options, "dir") ?? config.contracts ?? "contracts");
  if (!existsSync(directory))
    throw badArgument(
      `There is no contracts folder "${directory}"`,
      "Name it: `phasekit worker --dir <folder>`, or set `contracts` in the config.",
    );
  const port = portOption(options) ?? 0;
  const intervalMs = countOption(options, "interval") ?? INTERVAL_MS;
  const contracts = contractsOrThrow(await loadContracts(directory));
  if ((await migrate(database.pool, { schema: database.schema, dryRun: true })).applied.length > 0)
    throw noTables(database.place, database.schema);

  const name = textOption(options, "name") ?? `${hostname()}-${String(process.pid)}`;
  const print = (data: object, text: string): void => {
    terminal.out(`${json ? safeJson({ v: 2, worker: name, ...data }) : text}\n`);
  };
  const log = (line: WorkLogLine): void => {
    print(line, cleanText(`${name}: ${line.event} ${line.identifier} ${line.phase}: ${line.text}`));
  };
  const onError = (problem: string): void => {
    terminal.error(`${cleanText(`${name}: ${problem}`)}\n`);
  };
  const isOnce = isSet(options, "once");
  // A new claim wakes the worker; the interval is for expiries, which have no notification.
  const changes = isOnce ? undefined : watchChanges(database.pool, { schema: database.schema, topic: "work" });
  const { round, run, status } = createWorker(database.work, {
    contracts,
    config: config.worker ?? {},
    intervalMs,
    log,
    onError,
    now,
    signal,
    ...(changes !== undefined && { pause: (ms) => changes.wait(ms, { signal }) }),
  });
  if (isOnce) {
    await round();
  } else {
    const health = await serveHealth(() => ({ worker: name, ...status() }), { port });
    print(
      { event: "listening", health: health.url, place: database.place },
      [
        `Worker ${cleanText(name)} works on ${database.place}`,
        `Health: ${health.url}`,
        "Ctrl-C or SIGTERM stops it after the current round.",
      ].join("\n"),
    );
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
    data: { worker: name, ...status() },
    lines: [
      [
        `${cleanText(name)}: ${plural(rounds, "round")}: ${String(advanced)} advanced`,
        `${String(rejected)} rejected`,
        `${String(expired)} expired`,
        `${plural(delivered, "message")} delivered.`,
      ].join(", "),
    ],
  };
};
