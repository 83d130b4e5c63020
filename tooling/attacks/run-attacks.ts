import type { Progress } from "../progress.ts";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";
import type { Attack, AttackTotal } from "./attack.ts";

/** A row of the totals table. */
export interface AttackRow extends AttackTotal {
  readonly attack: string;
}

/** Lines of failures that are printed for one area. */
const MAX_FAILURES = 50;

/** The outputs of `runAttacks()`. */
export interface AttackOutputs {
  readonly seconds: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Gets every row when its area was tried. */
  readonly rows: AttackRow[];
}

/** Runs attacks one after the other and prints every area when it was tried. */
export async function runAttacks(attacks: readonly Attack[], outputs: AttackOutputs): Promise<void> {
  const { seconds, progress, signal, rows } = outputs;
  for (const { name, areas, run } of attacks) {
    let reported = 0;
    const total = (one: AttackTotal): void => {
      reported += 1;
      rows.push({ ...one, attack: name });
      progress.print(renderTotal(name, one));
      for (const failure of one.failures.slice(0, MAX_FAILURES)) progress.print(`  FAILED ${failure}`);
      progress.count();
    };
    progress.now(name);
    try {
      await run({ seconds, signal, total, now: (task) => progress.now(`${name}: ${task}`), pause: progress.pause });
      if (reported !== areas) throw new Error(`It reported ${String(reported)} of ${String(areas)} areas.`);
    } catch (error) {
      if (signal.aborted) throw error;
      // One failure; the other attacks still run.
      rows.push({ attack: name, area: "the attack itself", tried: 1, failures: [String(error)] });
      progress.print(`${name}: FAILED ${String(error)}`);
      progress.count(Math.max(0, areas - reported));
    }
  }
}

/** The rows as a table in Markdown, and their sum. */
export function renderRows(rows: readonly AttackRow[]): string {
  const sum = (value: (row: AttackRow) => number): string =>
    rows.reduce((total, row) => total + value(row), 0).toLocaleString("en");
  return [
    "| Attack | Area | Tried | Failed | Note |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(({ attack, area, tried, failures, note = "" }) => {
      const cells = [attack, area, tried.toLocaleString("en"), String(failures.length), note];
      return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    }),
    "",
    `${sum(({ tried }) => tried)} tried, ${sum(({ failures }) => failures.length)} failed`,
  ].join("\n");
}

function renderTotal(attack: string, { area, tried, failures, note }: AttackTotal): string {
  const counts = `${tried.toLocaleString("en")} tried, ${failures.length.toLocaleString("en")} failed`;
  return `${attack}: ${area}: ${counts}${note === undefined ? "" : `, ${note}`}`;
}

/** Runs attacks as a command: progress, rows as they are ready, the table, and 1 as the exit code if a case failed. */
export async function attackCommand(
  attacks: readonly Attack[],
  { seconds = 300 }: { readonly seconds?: number } = {},
): Promise<void> {
  const rows: AttackRow[] = [];
  const total = attacks.reduce((sum, { areas }) => sum + areas, 0);
  const isInterrupted = await runWithProgress({ total, unit: "areas" }, (progress, signal) =>
    runAttacks(attacks, { seconds, progress, signal, rows }),
  );
  if (rows.length > 0) console.log(`\n${renderRows(rows)}`);
  if (rows.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
  if (isInterrupted) exitInterrupted();
}
