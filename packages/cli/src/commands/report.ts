import { createStory } from "@phasekit/ledger/story";
import type { RunEvent } from "@phasekit/core";
import type { RunAbout } from "@phasekit/report";
import { createFolderReport, renderReport } from "@phasekit/report/node";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet, listOption, textOption } from "../command-options.ts";
import { writePrivateFile } from "../config/private-folder.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { stoppedLines } from "../logs/log-totals.ts";
import { readRuns } from "../logs/read-log.ts";
import { readLogs } from "../logs/read-logs.ts";
import { projectOf } from "../logs/run-source.ts";
import { titleOf } from "../logs/tool-title.ts";
import { loadPrices, type PriceList } from "../money/price-list.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { createProgress } from "../progress.ts";
import { plural } from "../render/numbers.ts";
import { configuredSet, loadPolicySet, type PolicySet } from "../run-presets.ts";

const DEFAULT_FILE = "phasekit-report.html";
const DEFAULT_FOLDER = "phasekit-report";

/** Writes an HTML report of one run, two runs or a folder of runs. */
export const report: CommandRun = async ({ args, options }, context) => {
  const compare = isSet(options, "compare");
  const policies = listOption(options, "policy");
  if (policies.length > 0) {
    if (!compare || policies.length !== 2 || args.length > 1)
      throw badArgument(
        `report does not accept ${plural(policies.length, "--policy option")} here`,
        "Name one run and two policies: `phasekit report <run> --compare --policy coding --policy policy.ts`.",
      );
  } else if (compare && args.length !== 2)
    throw badArgument(
      `--compare needs two runs, not ${String(args.length)}`,
      "Write `phasekit report --compare <a> <b>`, or add two `--policy` options to compare one run under two policies.",
    );
  if (!compare && args.length > 1)
    throw badArgument(
      `report takes one run, log or folder, not ${String(args.length)}`,
      "Compare two runs with `phasekit report --compare <a> <b>`.",
    );
  const out = textOption(options, "out");
  const prices = loadPrices(textOption(options, "prices"), context.cwd);
  const share = isSet(options, "share");
  const [argument] = args;
  const { logs } = compare ? { logs: [] } : await chooseLogs(argument, context);
  const folder = !compare && argument !== undefined && logs.length > 1;
  const { files, notRead = 0 } = folder
    ? await folderFiles(argument, context, { prices, share })
    : { files: await runFile(await wantedRuns(args, policies, context), context, { compare, prices, share }) };
  const target = resolve(context.cwd, out ?? (folder ? DEFAULT_FOLDER : DEFAULT_FILE));
  const first = await writePages(files, { target, context, isPublic: isSet(options, "public") });
  if (isSet(options, "open")) openInBrowser(first);
  return {
    exitCode: exitCodes.ok,
    data: {
      path: first,
      files: files.size,
      bytes: [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    },
    lines: [
      [
        `Wrote ${relative(context.cwd, first)}`,
        files.size > 1 ? ` and ${plural(files.size - 1, "more file")}` : "",
        ". Open it in a browser; it loads nothing from the network.",
      ].join(""),
      ...stoppedLines({ notRead }),
    ],
  };
};

interface ReportSource {
  readonly argument: string | undefined;
  readonly simulate?: PolicySet;
}

/** One run, two runs, or one run under two policies. */
async function wantedRuns(
  args: readonly string[],
  policies: readonly string[],
  { cwd }: CommandContext,
): Promise<readonly ReportSource[]> {
  if (policies.length > 0)
    return Promise.all(policies.map(async (name) => ({ argument: args[0], simulate: await loadPolicySet(name, cwd) })));
  return args.length === 2 ? args.map((argument) => ({ argument })) : [{ argument: args[0] }];
}

/** Renders one page. Its name is empty: the caller chooses the path. */
async function runFile(
  wanted: readonly ReportSource[],
  context: CommandContext,
  { compare, prices, share }: { readonly compare: boolean; readonly prices: PriceList; readonly share: boolean },
): Promise<ReadonlyMap<string, string>> {
  const runs: (readonly RunEvent[])[] = [];
  const known = new Map<string, RunAbout>();
  for (const { argument, simulate } of wanted) {
    const collected = createCollector();
    const { reading, log, title } = await chooseRun(argument, context, {
      onStep: collected.add,
      ...(simulate !== undefined && { simulate }),
    });
    const [header, ...events] = collected.of(reading.about.id);
    // Both sides are the same run, so the page names each by its policy.
    const named =
      header?.type === "run.started" && simulate !== undefined
        ? { ...header, run: `${header.run}, ${simulate.name}` }
        : header;
    runs.push(named === undefined ? events : [named, ...events]);
    if (named?.type === "run.started") known.set(named.run, { tool: title, project: projectOf(reading.about, log) });
  }
  return new Map([["", renderReport(runs, { compare, prices, share, describeRun: (run) => known.get(run) })]]);
}

async function folderFiles(
  argument: string,
  context: CommandContext,
  { prices, share }: { readonly prices: PriceList; readonly share: boolean },
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly notRead: number }> {
  const { logs } = await chooseLogs(argument, context);
  const set = await configuredSet(await context.config());
  const collected = createCollector();
  const known = new Map<string, RunAbout>();
  const pages = createFolderReport({
    title: `Runs in ${basename(resolve(context.cwd, argument))}/`,
    prices,
    share,
    describeRun: (run) => known.get(run),
  });
  const playing = { story: createStory, runOptions: set.options("observe"), onStep: collected.add };
  const { notRead } = await readLogs(logs, {
    read: (log) => readRuns(log, playing),
    progress: createProgress(context.terminal, { total: logs.length }),
    signal: context.signal,
    take: ({ about }, log, format) => {
      known.set(about.id, { tool: titleOf(format, log), project: projectOf(about, log) });
      pages.add(collected.of(about.id));
    },
  });
  return { files: pages.files(), notRead };
}

/** Collects events by run until they are handed over. */
function createCollector(): {
  readonly add: (about: { readonly id: string }, step: readonly RunEvent[]) => void;
  readonly of: (id: string) => readonly RunEvent[];
} {
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

async function writePages(
  files: ReadonlyMap<string, string>,
  {
    target,
    context: { cwd },
    isPublic,
  }: { readonly target: string; readonly context: CommandContext; readonly isPublic: boolean },
): Promise<string> {
  const paths = [...files].map(([name, text]) => ({ path: pathOf(name, target), text }));
  for (const { path } of paths)
    if (existsSync(path) && !(await isReport(path).catch(() => false))) throw fileExists(relative(cwd, path));
  for (const { path, text } of paths) writePrivateFile(path, text, { isPublic });
  return paths[0]?.path ?? target;
}

/**
 * With `--out x.html` the first page is that file; pages of large runs go beside it, where its links point. Any other
 * `--out` is a folder.
 */
function pathOf(name: string, target: string): string {
  if (!target.endsWith(".html")) return join(target, name === "" ? "index.html" : name);
  return name === "" || name === "index.html" ? target : join(dirname(target), name);
}

/** True if the file is a report. Other files are never overwritten. */
async function isReport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(600), 0, 600, 0);
    return buffer.subarray(0, bytesRead).toString().includes("script-src 'sha256-");
  } finally {
    await file.close();
  }
}
