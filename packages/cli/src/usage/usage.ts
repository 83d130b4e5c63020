import { relative, resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { choiceOption, isSet, textOption } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { noLogs, noMatchingLogs } from "../errors.ts";
import { sinceOption } from "../logs/filter-logs.ts";
import { isInProject, projectRoot } from "../logs/log-folder.ts";
import { projectOf } from "../logs/run-source.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { loadPrices, pricesToData } from "../money/price-list.ts";
import { createProgress } from "../progress.ts";
import { costCell } from "../render/cost-text.ts";
import { dayOf } from "../render/day.ts";
import { megabytes, plural, tokens } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { readUsage } from "./read-usage.ts";
import { createUsageSums, type UsageGroup, usageGroups, type UsageSum } from "./sum-usage.ts";
import { countVerified, type VerifiedCount } from "./count-verified.ts";
import { writeUsagePage } from "./usage-page.ts";
import type { UsageEntry } from "./usage-entry.ts";

const keyOf: Readonly<Record<UsageGroup, (entry: UsageEntry) => string>> = {
  day: ({ at }) => dayOf(at) ?? "unknown",
  project: (entry) => projectOf(entry, {}) ?? "unknown",
  model: ({ model }) => model || "unnamed",
  tool: ({ tool }) => tool,
};

/** Sums up the tokens and the cost of all agents on this machine, without judging their runs. */
export const usage: CommandRun = async ({ options }, context) => {
  const { terminal, env, signal } = context;
  const by = choiceOption(options, "by", usageGroups) ?? "day";
  const since = sinceOption(textOption(options, "since"), context.now());
  const prices = loadPrices(textOption(options, "prices"), context.cwd);
  const passes = entryFilter(options, { since, cwd: context.cwd });
  const sums = createUsageSums(keyOf[by]);
  const total = createUsageSums(() => "total");
  const days = createUsageSums(keyOf.day);
  let seen = 0;
  const logs = await readUsage({
    env,
    since,
    signal,
    progress: (bytes) => createProgress(terminal, { total: bytes, format: megabytes }),
    take: (entry) => {
      seen += 1;
      if (!passes(entry)) return;
      sums.add(entry);
      total.add(entry);
      days.add(entry);
    },
  });
  const [all] = total.get(prices);
  if (all === undefined && signal.aborted) return { exitCode: exitCodes.noData, data: { by, rows: [] }, lines: [] };
  if (all === undefined && logs === 0) throw noLogs("the log folders of all known tools");
  if (all === undefined) throw noMatchingLogs("these options", plural(seen, "answer"));
  const rows = inOrder(sums.get(prices), by);
  const verified = isSet(options, "verified") ? await countVerified(by, options, context) : undefined;
  const out = textOption(options, "out") ?? (isSet(options, "open") ? "phasekit-usage.html" : undefined);
  const path = out === undefined ? undefined : resolve(context.cwd, out);
  if (path !== undefined)
    await writeUsagePage(path, { by, rows, all, days: inOrder(days.get(prices), "day"), source: prices.source });
  if (path !== undefined && isSet(options, "open")) openInBrowser(path);
  return {
    exitCode: exitCodes.ok,
    data: {
      by,
      rows: rows.map((row) => ({ ...row, ...verified?.get(row.key) })),
      total: all,
      logs,
      prices: pricesToData(prices),
      ...(path !== undefined && { path }),
    },
    lines: [
      ...usageTable(rows, all, { by, terminal, verified }),
      "",
      `Cost at ${cleanText(prices.source)}; a day begins at midnight of this machine.`,
      ...(path === undefined ? [] : [`Wrote ${relative(context.cwd, path)}.`]),
    ],
  };
};

/** True for answers that pass `--here`, `--project`, `--since` and `--tool`. */
function entryFilter(
  options: Readonly<Record<string, unknown>>,
  { since = 0, cwd }: { readonly since: number | undefined; readonly cwd: string },
): (entry: UsageEntry) => boolean {
  const project = textOption(options, "project")?.toLowerCase();
  const tool = textOption(options, "tool")?.toLowerCase().replaceAll("-", " ");
  const root = isSet(options, "here") ? projectRoot(cwd) : undefined;
  return ({ at, folder, tool: title }) =>
    at >= since &&
    (tool === undefined || title.toLowerCase().includes(tool)) &&
    (project === undefined || (folder ?? "").toLowerCase().includes(project)) &&
    (root === undefined || (folder !== undefined && isInProject(folder, root)));
}

/** Days in their order; all others by cost. */
function inOrder(rows: readonly UsageSum[], by: UsageGroup): readonly UsageSum[] {
  return rows.toSorted((a, b) =>
    by === "day" ? (a.key < b.key ? -1 : 1) : (b.cost.usd ?? 0) - (a.cost.usd ?? 0) || b.tokens - a.tokens,
  );
}

const verifiedCell = (count: VerifiedCount | undefined): string =>
  count === undefined ? "" : `${String(count.verified)} of ${String(count.judged)}`;

function usageTable(
  rows: readonly UsageSum[],
  all: UsageSum,
  {
    by,
    terminal: { colors, columns },
    verified,
  }: {
    readonly by: UsageGroup;
    readonly terminal: CommandContext["terminal"];
    readonly verified: ReadonlyMap<string, VerifiedCount> | undefined;
  },
): readonly string[] {
  const cells = ({
    key,
    runs,
    input,
    output,
    cacheRead,
    cacheWrite,
    tokens: sum,
    cost,
  }: UsageSum): readonly string[] => [
    cleanText(key),
    String(runs),
    ...(verified === undefined ? [] : [verifiedCell(verified.get(key))]),
    ...[input, output, cacheWrite, cacheRead, sum].map(tokens),
    costCell(cost),
  ];
  const lines = table(
    [
      { head: by, flexible: true },
      { head: "runs", right: true },
      ...(verified === undefined ? [] : [{ head: "verified", right: true }]),
      ...["input", "output", "to cache", "cached", "tokens", "cost"].map((head) => ({ head, right: true })),
    ],
    [...rows.map(cells), cells(all)],
    { width: columns, head: colors.dim },
  );
  const last = lines.at(-1) ?? "";
  return [...lines.slice(0, -1), colors.bold(last)];
}
