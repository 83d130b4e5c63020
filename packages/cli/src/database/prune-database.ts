import { pruneRuns } from "@phasekit/ledger";
import type { Answer, CommandContext } from "../command.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { sinceOption } from "../logs/filter-logs.ts";
import { createProgress } from "../progress.ts";
import { count, plural } from "../render/numbers.ts";
import type { OpenDatabase } from "./open-database.ts";

/** Delivered messages that one statement removes: it stays short beside the workers. */
const MESSAGES = 5000;

/**
 * Removes runs without an event since a time, with their events, and messages that were delivered before it. Items and
 * their history stay. Ctrl-C ends it after the current run; running it again continues.
 * @throws BAD_ARGUMENT
 */
export async function pruneDatabase(
  { runs, work, place, schema }: OpenDatabase,
  { dryRun, given }: { readonly dryRun: boolean; readonly given: string | undefined },
  { now, signal, terminal }: Pick<CommandContext, "now" | "signal" | "terminal">,
): Promise<Answer> {
  const at = now();
  const since = sinceOption(given, at, "--older-than");
  if (since === undefined)
    throw badArgument("db prune needs an age", "Write `phasekit db prune --older-than 90d`. `--dry-run` only counts.");
  const olderThanMs = at - since;
  let progress: ReturnType<typeof createProgress> | undefined;
  const { removed } = await pruneRuns(runs, {
    now: at,
    olderThanMs,
    dryRun,
    signal,
    onProgress: (done, total) => {
      progress ??= createProgress(terminal, { total, format: (value) => plural(value, "run") });
      progress.step(done);
    },
  });
  progress?.end();
  let messages = 0;
  while (!dryRun && !signal.aborted) {
    const gone = (await work.removeDelivered?.({ olderThanMs, limit: MESSAGES })) ?? 0;
    if (gone === 0) break;
    messages += gone;
  }
  const rest = signal.aborted ? " Interrupted; run it again to continue." : "";
  const what = `${plural(removed.length, "run")} without an event since ${new Date(since).toISOString()}`;
  return {
    exitCode: exitCodes.ok,
    data: { place, schema, since, dryRun, interrupted: signal.aborted, runs: removed.length, messages },
    lines: [
      dryRun
        ? `Would remove ${what}. Nothing was changed.`
        : `Removed ${what} and ${count(messages)} delivered messages.${rest}`,
    ],
  };
}
