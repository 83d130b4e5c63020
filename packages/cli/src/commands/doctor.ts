import { formats } from "@phasekit/transcripts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import process from "node:process";
import { fitPath } from "../clean-text.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { findLogs } from "../logs/find-logs.ts";
import { logPlaces } from "../logs/log-places.ts";
import { isStore, openStore, ownRuns, ownRunsFolder } from "../logs/own-runs.ts";
import { type Finding, findingsAnswer } from "../render/findings.ts";
import { ago, plural } from "../render/numbers.ts";
import { wrapText } from "../render/wrap-text.ts";

const NODE = [20, 19] as const;

/** Looks at everything the other commands rely on. */
export const doctor: CommandRun = async (_input, context) => {
  const findings: readonly Finding[] = [nodeFinding(), await configFinding(context), await ownRunsFinding(context), ...(placeFindings(context))];
  const { exitCode, lines } = findingsAnswer(findings, context.terminal);
  const reads = wrapText(`Reads: ${formats.map(({ title }) => title).join(", ")}.`, context.terminal.columns);
  return {
    exitCode,
    data: { findings, formats: formats.map(({ name, title }) => ({ name, title })) },
    lines: [...lines.slice(0, -1), ...reads, ...lines.slice(-1)],
  };
};

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fits = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  return { what: "Node", verdict: fits ? "ok" : "problem", text: fits ? process.versions.node : `${process.versions.node}; ${NODE.join(".")} or later is needed` };
}

async function configFinding({ config }: CommandContext): Promise<Finding> {
  try {
    const { path } = await config();
    return path === undefined ? { what: "Config", verdict: "note", text: "none; `phasekit init` writes one" } : { what: "Config", verdict: "ok", text: shorten(path) };
  } catch (error) {
    return { what: "Config", verdict: "problem", text: error instanceof Error ? error.message : String(error) };
  }
}

async function ownRunsFinding(context: CommandContext): Promise<Finding> {
  const folder = await ownRunsFolder({ ...context, config: () => context.config().catch(() => ({ config: {}, path: undefined, folder: context.cwd })) });
  if (!existsSync(folder) || !isStore(folder)) return { what: "Own runs", verdict: "note", text: `none in ${shorten(folder)}` };
  const runs = await ownRuns(folder);
  const store = await openStore(folder);
  const damaged: string[] = [];
  for (const { run = "" } of runs) if ((await store.inspect(run)).integrity === "damaged") damaged.push(run);
  return damaged.length === 0
    ? { what: "Own runs", verdict: "ok", text: `${plural(runs.length, "run")}, all logs whole, in ${shorten(folder)}` }
    : { what: "Own runs", verdict: "problem", text: `${String(damaged.length)} of ${plural(runs.length, "run")} damaged: ${damaged.slice(0, 3).join(", ")}` };
}

function placeFindings({ env, now }: CommandContext): readonly Finding[] {
  return logPlaces(env).map((place): Finding => {
    const logs = findLogs(place);
    const where = place.folders.map(shorten).map((folder) => fitPath(folder, 50)).join(", ");
    const [newest] = logs;
    if (newest === undefined) return { what: place.title, verdict: "note", text: `no logs in ${where}` };
    return { what: place.title, verdict: "ok", text: `${plural(logs.length, "log")} in ${where}, the newest ${ago(Math.max(0, now() - newest.updatedAt))}` };
  });
}

const shorten = (path: string): string => path.replace(homedir(), "~");
