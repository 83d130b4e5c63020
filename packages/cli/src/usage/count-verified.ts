import { verificationOf } from "@phasekit/ledger/story";
import type { CommandContext, CommandInput } from "../command.ts";
import { summarizeLogs } from "../log-index/summarize-logs.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { filterLogs } from "../logs/filter-logs.ts";
import { projectOf } from "../logs/run-source.ts";
import { createProgress } from "../progress.ts";
import { dayOf } from "../render/day.ts";
import { megabytes } from "../render/numbers.ts";
import type { UsageGroup } from "./sum-usage.ts";

/** How many runs were judged, and how many of them are verified. */
export interface VerifiedCount {
  readonly judged: number;
  readonly verified: number;
}

/** Judges the runs of this machine, and counts those that are verified, by the key of a sum and in all. */
export async function countVerified(
  by: UsageGroup,
  options: CommandInput["options"],
  context: CommandContext,
): Promise<ReadonlyMap<string, VerifiedCount>> {
  const { cwd, terminal, signal } = context;
  const { logs } = await chooseLogs(undefined, context);
  const counts = new Map<string, VerifiedCount>();
  await summarizeLogs(filterLogs(logs, options, { cwd, now: context.now() }), {
    config: await context.config(),
    index: await context.index(),
    progress: (total) => createProgress(terminal, { total, format: megabytes }),
    signal,
    take: ({ about, story }, log, title) => {
      if (about.parent !== undefined) return;
      const isVerified = verificationOf(story).verdict === "yes";
      const keys = {
        day: [dayOf(story.endedAt) ?? "unknown"],
        project: [projectOf(about, log) ?? "unknown"],
        model: story.models.map(({ model }) => model || "unnamed"),
        tool: [title],
      }[by];
      for (const key of new Set([...keys, "total"])) {
        const { judged, verified } = counts.get(key) ?? { judged: 0, verified: 0 };
        counts.set(key, { judged: judged + 1, verified: verified + (isVerified ? 1 : 0) });
      }
    },
  });
  return counts;
}
