import { migrate, type MigrationReport } from "@phasekit/postgres";
import type { WorkStore } from "@phasekit/contracts";
import type { Answer, CommandContext, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { pruneDatabase } from "../database/prune-database.ts";
import { examineDatabase } from "../database/examine-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { createProgress, type Progress } from "../progress.ts";
import { ago, plural } from "../render/numbers.ts";
import { findingsAnswer } from "../render/findings.ts";

/** `db migrate | status | doctor | prune`. */
export const db: CommandRun = async ({ args: [action = ""], options }, context) => {
  const { database } = context;
  if (database === undefined) throw new Error("The command db was called without a database.");
  switch (action) {
    case "migrate":
      return await migrateTables(database, isSet(options, "dryRun"), context);
    case "status":
      return await showStatus(database, context);
    case "doctor":
      return findingsAnswer(await examineDatabase(database, context.now), context.terminal);
    case "prune":
      return await pruneDatabase(
        database,
        { dryRun: isSet(options, "dryRun"), given: textOption(options, "olderThan") },
        context,
      );
    default:
      throw badArgument(
        `Unknown action "${action}"`,
        "Use `phasekit db migrate`, `phasekit db status`, `phasekit db doctor` or `phasekit db prune`.",
      );
  }
};

async function migrateTables(
  { pool, schema, place }: OpenDatabase,
  dryRun: boolean,
  { terminal, signal }: CommandContext,
): Promise<Answer> {
  let progress: Progress | undefined;
  const onStep = ({ done, total }: { readonly done: number; readonly total: number }): void => {
    progress ??= createProgress(terminal, { total });
    progress.step(done);
  };
  let report: MigrationReport;
  try {
    report = await migrate(pool, { schema, dryRun, signal, onStep });
  } catch (error) {
    if (!signal.aborted) throw error;
    const lines = ["Stopped. A migration is one transaction, so nothing was changed."];
    return { exitCode: exitCodes.stopped, data: { place, schema, applied: [], dryRun }, lines };
  } finally {
    progress?.end();
  }
  const { version, applied } = report;
  const where = `${place}, schema ${schema}`;
  const verdict =
    applied.length === 0
      ? `Up to date: ${where} is at version ${String(version)}.`
      : dryRun
        ? `${plural(applied.length, "migration")} pending for ${where}. Nothing was changed.`
        : `Applied ${namesOf(report)}. ${where} is now at version ${String(version)}.`;
  const sql = dryRun
    ? applied.flatMap(({ version: number, name, sql: text }) => [
        `-- ${String(number)} ${name}`,
        ...text.trim().split("\n"),
        "",
      ])
    : [];
  return {
    exitCode: exitCodes.ok,
    data: { place, schema, version, applied, dryRun },
    lines: [...sql, verdict],
    isCode: dryRun,
  };
}

/** Exits with 1 while migrations are pending, for deploy scripts. */
async function showStatus({ pool, schema, place, runs, work }: OpenDatabase, { now }: CommandContext): Promise<Answer> {
  const report = await migrate(pool, { schema, dryRun: true });
  const { version, applied } = report;
  const pending = applied.map(({ version: number, name }) => ({ version: number, name }));
  const head = `${place}, schema ${schema}, version ${String(version)}`;
  if (pending.length > 0)
    return {
      exitCode: exitCodes.findings,
      data: { place, schema, version, pending },
      lines: [head, `Pending: ${namesOf(report)}. Apply with \`phasekit db migrate\`.`],
    };
  const [newest] = await runs.list({ limit: 1 });
  const items = {
    all: await countItems(work),
    claims: await countItems(work, "open-claim"),
    reviews: await countItems(work, "open-review"),
    revisions: await countItems(work, "revision"),
  };
  return {
    exitCode: exitCodes.ok,
    data: {
      place,
      schema,
      version,
      pending,
      newestRun: newest === undefined ? null : { run: newest.run, updatedAt: newest.updatedAt },
      items,
    },
    lines: [
      head,
      newest === undefined
        ? "No runs yet."
        : `Newest run: ${newest.run}, ${ago(Math.max(0, now() - newest.updatedAt))}.`,
      [
        `${plural(items.all, "item")}: ${String(items.claims)} with an open claim`,
        `${String(items.reviews)} with an open review`,
        `${String(items.revisions)} waiting for a revision.`,
      ].join(", "),
    ],
  };
}

const namesOf = ({ applied }: MigrationReport): string =>
  applied.map(({ version, name }) => `${String(version)} ${name}`).join(", ");

async function countItems(work: WorkStore, having?: "open-claim" | "open-review" | "revision"): Promise<number> {
  let count = 0;
  for (let after = ""; ;) {
    const page = await work.list({ after, ...(having !== undefined && { having }) });
    const last = page.at(-1);
    if (last === undefined) return count;
    count += page.length;
    after = last;
  }
}
