import type { RunEvent } from "@phasekit/core";
import { createFolderReport, renderReport } from "@phasekit/report/node";
import { existsSync } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet, listOption, textOption } from "../command-options.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { tellLog } from "../logs/read-log.ts";
import { tellLogs } from "../logs/tell-logs.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { createProgress } from "../progress.ts";
import { plural } from "../render/numbers.ts";
import { configuredSet, loadPolicySet, type PolicySet } from "../run-presets.ts";
import { createStory } from "../story/run-story.ts";

const DEFAULT_FILE = "phasekit-report.html";
const DEFAULT_FOLDER = "phasekit-report";

/** Writes one run, two runs or a folder of runs as a page that opens from disk. */
export const report: CommandRun = async ({ args, options }, context) => {
  const compare = isSet(options, "compare");
  const policies = listOption(options, "policy");
  if (policies.length > 0) {
    if (!compare || policies.length !== 2 || args.length > 1) throw badArgument(`--policy is given ${plural(policies.length, "time")}`, "Name one run and two policies: `phasekit report <run> --compare --policy coding --policy policy.ts`.");
  } else if (compare && args.length !== 2) throw badArgument(`--compare has ${plural(args.length, "run")}`, "Name two: `phasekit report --compare <a> <b>`, or one and two policies.");
  if (!compare && args.length > 1) throw badArgument(`There are ${String(args.length)} arguments`, "Name one run, log or folder, or two with `--compare`.");
  const out = textOption(options, "out");
  const [argument] = args;
  const { logs } = compare ? { logs: [] } : await chooseLogs(argument, context);
  const folder = !compare && argument !== undefined && logs.length > 1;
  const files = folder ? await folderFiles(argument, context) : await runFile(await wantedRuns(args, policies, context), context, compare);
  const target = resolve(context.cwd, out ?? (folder ? DEFAULT_FOLDER : DEFAULT_FILE));
  const first = await writePages(files, { target, context });
  if (isSet(options, "open")) openInBrowser(first);
  return {
    exitCode: exitCodes.ok,
    data: { path: first, files: files.size, bytes: [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0) },
    lines: [`Wrote ${relative(context.cwd, first)}${files.size > 1 ? ` and ${plural(files.size - 1, "file")} beside it` : ""}. It opens from disk and loads nothing.`],
  };
};

interface Wanted {
  readonly argument: string | undefined;
  readonly simulate?: PolicySet;
}

/** One run, two runs, or one run under two policies. */
async function wantedRuns(args: readonly string[], policies: readonly string[], { cwd }: CommandContext): Promise<readonly Wanted[]> {
  if (policies.length > 0) return Promise.all(policies.map(async (name) => ({ argument: args[0], simulate: await loadPolicySet(name, cwd) })));
  return args.length === 2 ? args.map((argument) => ({ argument })) : [{ argument: args[0] }];
}

/** One page, under no name yet: where it is written is the caller's choice. */
async function runFile(wanted: readonly Wanted[], context: CommandContext, compare: boolean): Promise<ReadonlyMap<string, string>> {
  const runs: (readonly RunEvent[])[] = [];
  for (const { argument, simulate } of wanted) {
    const collected = createCollector();
    const { told } = await chooseRun(argument, context, { onStep: collected.add, ...(simulate !== undefined && { simulate }) });
    const [header, ...events] = collected.of(told.about.id);
    // Under two policies it is one run: the page names each side by what decided it.
    const named = header?.type === "run.started" && simulate !== undefined ? { ...header, run: `${header.run}, ${simulate.name}` } : header;
    runs.push(named === undefined ? events : [named, ...events]);
  }
  return new Map([["", renderReport(runs, { compare })]]);
}

async function folderFiles(argument: string, context: CommandContext): Promise<ReadonlyMap<string, string>> {
  const { logs } = await chooseLogs(argument, context);
  const set = configuredSet(await context.config());
  const collected = createCollector();
  const pages = createFolderReport();
  const playing = { story: createStory, runOptions: set.options("observe"), onStep: collected.add };
  await tellLogs(logs, {
    tell: (log) => tellLog(log, playing),
    progress: createProgress(context.terminal, { total: logs.length }),
    signal: context.signal,
    take: ({ about }) => pages.add(collected.of(about.id)),
  });
  return pages.files();
}

/** Keeps the events of the runs that are being told, and lets go of those that were handed over. */
function createCollector(): { readonly add: (about: { readonly id: string }, step: readonly RunEvent[]) => void; readonly of: (id: string) => readonly RunEvent[] } {
  const byRun = new Map<string, RunEvent[]>();
  return {
    add: ({ id }, step) => {
      const events = byRun.get(id);
      if (events === undefined) byRun.set(id, [...step]);
      else events.push(...step);
    },
    of: (id) => {
      const events = byRun.get(id) ?? [];
      byRun.delete(id);
      return events;
    },
  };
}

async function writePages(files: ReadonlyMap<string, string>, { target, context: { cwd } }: { readonly target: string; readonly context: CommandContext }): Promise<string> {
  const paths = [...files].map(([name, text]) => ({ path: name === "" ? target : join(target, name), text }));
  for (const { path } of paths) if (existsSync(path) && !(await isReport(path))) throw fileExists(relative(cwd, path));
  for (const { path, text } of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return paths[0]?.path ?? target;
}

/** Only what we wrote ourselves is replaced. */
async function isReport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(600), 0, 600, 0);
    return buffer.subarray(0, bytesRead).toString().includes("script-src 'sha256-");
  } finally {
    await file.close();
  }
}
