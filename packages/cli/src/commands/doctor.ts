import { formats } from "@phasekit/transcripts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fitPath } from "../clean-text.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { noConfig } from "../config/load-config.ts";
import { folderProblem } from "../config/private-folder.ts";
import { capabilityRows, reportLive } from "../live/hook-findings.ts";
import { findLogs } from "../logs/find-logs.ts";
import { type LogPlace, logPlaces } from "../logs/log-places.ts";
import { isStore, openStore, ownRuns, ownRunsFolder } from "../logs/own-runs.ts";
import { type Finding, findingsAnswer } from "../render/findings.ts";
import { ago, plural } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { wrapText } from "../render/wrap-text.ts";

const NODE = [20, 19] as const;

/** Checks everything the other commands rely on. */
export const doctor: CommandRun = async (_input, context) => {
  const { diagnoses, findings: live } = await reportLive(context);
  const findings: readonly Finding[] = [
    nodeFinding(),
    ...(await configFindings(context)),
    ...cacheFindings(context),
    await ownRunsFinding(context),
    ...(await placeFindings(context)),
    ...live,
  ];
  const installed = diagnoses.filter(({ isInstalled }) => isInstalled);
  const { exitCode, lines } = findingsAnswer(findings, context.terminal);
  const reads = wrapText(
    `Supported log formats: ${formats.map(({ title }) => title).join(", ")}.`,
    context.terminal.columns,
  );
  const capabilities =
    installed.length === 0
      ? []
      : [
          ...table(
            [{ head: "Agent" }, { head: "Phasekit can" }, { head: "At these events", flexible: true }],
            capabilityRows(installed),
            { width: context.terminal.columns, head: context.terminal.colors.dim },
          ),
          "",
        ];
  return {
    exitCode,
    data: { findings, formats: formats.map(({ name, title }) => ({ name, title })), live: diagnoses },
    lines: [...lines.slice(0, -1), ...capabilities, ...reads, ...lines.slice(-1)],
  };
};

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fits = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  return {
    what: "Node",
    verdict: fits ? "ok" : "problem",
    text: fits ? process.versions.node : `${process.versions.node}; ${NODE.join(".")} or later is required`,
  };
}

async function configFindings({ config }: CommandContext): Promise<readonly Finding[]> {
  try {
    const { path, approved, ignored } = await config();
    const used: Finding =
      path === undefined
        ? { what: "Config", verdict: "note", text: "none; create one with `phasekit init`" }
        : { what: "Config", verdict: "ok", text: `${shorten(path)}${approved ? ", approved" : ""}` };
    return [used, ...ignored.map(({ text }): Finding => ({ what: "Config", verdict: "note", text }))];
  } catch (error) {
    return [{ what: "Config", verdict: "problem", text: error instanceof Error ? error.message : String(error) }];
  }
}

/** Says why the cache is not used; nothing if it is. */
function cacheFindings({ cacheFolder }: CommandContext): readonly Finding[] {
  const folders = cacheFolder === undefined ? [] : [cacheFolder, join(cacheFolder, "logs")];
  return folders.flatMap((folder): readonly Finding[] => {
    const problem = folderProblem(folder);
    return problem === undefined
      ? []
      : [{ what: "Cache", verdict: "note", text: `not used: ${shorten(folder)}: ${problem}` }];
  });
}

async function ownRunsFinding(context: CommandContext): Promise<Finding> {
  const folder = await ownRunsFolder({
    ...context,
    config: () => context.config().catch(() => noConfig(context.cwd)),
  });
  if (!existsSync(folder) || !isStore(folder))
    return { what: "Own runs", verdict: "note", text: `none in ${shorten(folder)}` };
  const runs = await ownRuns(folder);
  const store = await openStore(folder);
  const damaged: string[] = [];
  for (const { run = "" } of runs) if ((await store.inspect(run)).integrity === "damaged") damaged.push(run);
  return damaged.length === 0
    ? { what: "Own runs", verdict: "ok", text: `${plural(runs.length, "run")}, all logs intact, in ${shorten(folder)}` }
    : {
        what: "Own runs",
        verdict: "problem",
        text: [
          `${String(damaged.length)} of ${plural(runs.length, "run")} have a damaged log`,
          damaged.slice(0, 3).join(", "),
        ].join(": "),
      };
}

function placeFindings({ env, now }: CommandContext): Promise<readonly Finding[]> {
  const examine = async (place: LogPlace): Promise<Finding> => {
    const logs = await findLogs(place);
    const [store] = logs.filter(({ session }) => session === "");
    if (store !== undefined)
      return {
        what: place.title,
        verdict: "problem",
        text: `${basename(store.path)} found, not readable with Node ${process.version}: ${shorten(store.path)}`,
      };
    const where = [...(place.stores ?? []), ...place.folders]
      .slice(0, 3)
      .map(shorten)
      .map((folder) => fitPath(folder, 50))
      .join(", ");
    const [newest] = logs;
    if (newest === undefined) return { what: place.title, verdict: "note", text: `no logs in ${where}` };
    return {
      what: place.title,
      verdict: "ok",
      text: `${plural(logs.length, "log")} in ${where}, last written ${ago(Math.max(0, now() - newest.updatedAt))}`,
    };
  };
  return Promise.all(logPlaces(env).map(examine));
}

const shorten = (path: string): string => path.replace(homedir(), "~");
